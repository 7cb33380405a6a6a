# The build of llama.cpp makes a second library, `common`: command lines, downloads, chat parsers. Its Rust crate asks for it by
# default, and Gimbal calls nothing of it. It takes as long to compile as the rest, so it is left out where the linker is known
# to drop the functions that would need it.
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    set(LLAMA_BUILD_COMMON OFF CACHE BOOL "llama: build common utils library" FORCE)
endif()

# The graphs of its model families are more than 150 small files with the same large headers. Forty at a time are compiled as one
# file, in a fifth of the time. What computes numbers is another library (ggml) and is compiled as before.
if(PROJECT_NAME STREQUAL "llama.cpp" AND CMAKE_VERSION VERSION_GREATER_EQUAL 3.19)
    function(gimbal_join_model_graphs)
        if(NOT TARGET llama)
            return()
        endif()
        file(GLOB graphs "${CMAKE_SOURCE_DIR}/src/models/*.cpp")
        set(number 0)
        foreach(graph IN LISTS graphs)
            math(EXPR group "${number} / 40")
            set_source_files_properties("${graph}" TARGET_DIRECTORY llama PROPERTIES UNITY_GROUP "models${group}")
            math(EXPR number "${number} + 1")
        endforeach()
        set_target_properties(llama PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    endfunction()
    # At the end of the project, when the library and its list of files are there.
    cmake_language(DEFER CALL gimbal_join_model_graphs)
endif()
