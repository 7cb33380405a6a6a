//! What environments of the form `Tool key=value` have in common, as members of their `impl Environment`.

/// Members of `impl Environment` that are the same wherever actions are `Tool key=value` and one parameter names a subject of the brief: brief,
/// tools, choices, reading and writing of calls, a tracker of the state of each subject, and a situation that is the whole state.
///
/// `$tools` is a static list of tools, `$parameter` the parameter; the environment has a field `brief`.
#[macro_export]
macro_rules! calls_on_subjects {
    ($tools:expr, $parameter:literal) => {
        fn brief(&self) -> &::std::sync::Arc<::gimbal_core::Brief> {
            &self.brief
        }
        fn tools(&self) -> &::std::sync::Arc<[::gimbal_core::ToolSpec]> {
            &$tools
        }
        fn choices(&self, _tool: &str, parameter: &str) -> Option<Vec<::std::borrow::Cow<'_, str>>> {
            (parameter == $parameter).then(|| self.brief.subjects.iter().map(::std::borrow::Cow::from).collect())
        }
        fn parse(&self, text: &str) -> Result<::gimbal_core::ToolCall, ::gimbal_core::Rejection> {
            $crate::calls::read(text, &$tools)
        }
        fn render(&self, call: &::gimbal_core::ToolCall) -> String {
            $crate::calls::render(call)
        }
        fn tracker(&self) -> Box<dyn ::gimbal_core::Tracker> {
            let belief = $crate::states::StateBelief::new(&self.brief.subjects, &self.brief.idle);
            Box::new($crate::BeliefTracker::new(belief))
        }
        fn situation(&self) -> ::gimbal_core::Digest {
            self.state()
        }
    };
}
