# The build of llama.cpp makes a second library, `common`: command lines, downloads, chat parsers. Its Rust crate asks for it by
# default, and Gimbal calls nothing of it. It takes as long to compile as the rest, so it is left out where the linker is known
# to drop the functions that would need it.
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    set(LLAMA_BUILD_COMMON OFF CACHE BOOL "llama: build common utils library" FORCE)
endif()
