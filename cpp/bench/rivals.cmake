# The libraries that the benchmark compares the scanner with, as targets rival::yyjson and so on.
# Each is the one in the folder RTBWIRE_RIVALS, which scripts/rivals.sh fills, or the installed one;
# Glaze may also be in the folder RTBWIRE_GLAZE_SOURCE, daw_json_link in RTBWIRE_DAW_SOURCE. With
# RTBWIRE_ALLOW_FETCH a missing library is downloaded, in a fixed version. A message names those
# that are left out.
option(RTBWIRE_ALLOW_FETCH "download rivals of the benchmark that are not installed" OFF)
set(RTBWIRE_RIVALS "" CACHE PATH "folder that scripts/rivals.sh has filled")
set(RTBWIRE_DAW_SOURCE "" CACHE PATH
  "folder with the include/ of daw_json_link 3.29.1, in which those of header_libraries and utf_range are too")
set(RTBWIRE_GLAZE_SOURCE "" CACHE PATH "folder with Glaze's include/, version 6.4.0")

include(CheckCXXSourceCompiles)
include(FetchContent)
if(POLICY CMP0135)
  cmake_policy(SET CMP0135 NEW)  # unpacked files get the time of unpacking
endif()
set(rivals_left_out "")

# rival(NAME TARGET...) makes rival::NAME the first of the targets that exists.
function(rival name)
  foreach(target IN LISTS ARGN)
    if(TARGET ${target} AND NOT TARGET rival::${name})
      add_library(rival_${name} INTERFACE)
      target_link_libraries(rival_${name} INTERFACE ${target})
      add_library(rival::${name} ALIAS rival_${name})
    endif()
  endforeach()
  if(NOT TARGET rival::${name})
    set(rivals_left_out ${rivals_left_out} ${name} PARENT_SCOPE)
  endif()
endfunction()

# rival_headers(NAME FOLDER...) adds a header-only rival, unless FOLDER is empty.
function(rival_headers name)
  if(ARGN)
    add_library(rival_${name}_headers INTERFACE)
    target_include_directories(rival_${name}_headers SYSTEM INTERFACE ${ARGN})
  endif()
  rival(${name} rival_${name}_headers)
  set(rivals_left_out ${rivals_left_out} PARENT_SCOPE)
endfunction()

# rival_source(NAME FILE) adds a rival that RTBWIRE_RIVALS has as a source file and its header.
function(rival_source name file)
  if(EXISTS "${RTBWIRE_RIVALS}/${name}/${file}")
    add_library(rival_${name}_source STATIC "${RTBWIRE_RIVALS}/${name}/${file}")
    target_include_directories(rival_${name}_source SYSTEM PUBLIC "${RTBWIRE_RIVALS}/${name}")
  endif()
endfunction()

# ---- yyjson ----
# Debian's package has no version file, so do not ask for a version.
find_package(yyjson QUIET)
if(NOT yyjson_FOUND)
  enable_language(C)
  rival_source(yyjson yyjson.c)
endif()
if(NOT yyjson_FOUND AND NOT TARGET rival_yyjson_source AND RTBWIRE_ALLOW_FETCH)
  FetchContent_Declare(yyjson
    GIT_REPOSITORY https://github.com/ibireme/yyjson GIT_TAG 0.12.0 GIT_SHALLOW ON)
  FetchContent_MakeAvailable(yyjson)
endif()
rival(yyjson yyjson::yyjson rival_yyjson_source yyjson)

# ---- nlohmann::json ----
if(EXISTS "${RTBWIRE_RIVALS}/nlohmann/nlohmann/json.hpp")
  rival_headers(nlohmann "${RTBWIRE_RIVALS}/nlohmann")
else()
  find_package(nlohmann_json QUIET)
  if(NOT nlohmann_json_FOUND AND RTBWIRE_ALLOW_FETCH)
    # The archive of the release is a hundred times smaller than the repository.
    FetchContent_Declare(nlohmann_json
      URL https://github.com/nlohmann/json/releases/download/v3.11.3/json.tar.xz
      URL_HASH SHA256=d6c65aca6b1ed68e7a182f4757257b107ae403032760ed6ef121c9d55e81757d)
    FetchContent_MakeAvailable(nlohmann_json)
  endif()
  rival(nlohmann nlohmann_json::nlohmann_json)
endif()

# ---- RapidJSON ----
find_package(RapidJSON QUIET)
set(rapidjson_include ${RapidJSON_INCLUDE_DIRS} ${RAPIDJSON_INCLUDE_DIRS})
if(NOT RapidJSON_FOUND AND RTBWIRE_ALLOW_FETCH)
  # There is no release since 2016. The wrong folder keeps CMake from reading its build file.
  FetchContent_Declare(rapidjson GIT_REPOSITORY https://github.com/Tencent/rapidjson
    GIT_TAG 24b5e7a8b27f42fa16b96fc70aade9106cf7102f SOURCE_SUBDIR none)
  FetchContent_MakeAvailable(rapidjson)
  set(rapidjson_include ${rapidjson_SOURCE_DIR}/include)
endif()
rival_headers(rapidjson ${rapidjson_include})

# ---- simdjson ----
rival_source(simdjson simdjson.cpp)
if(NOT TARGET rival_simdjson_source)
  find_package(simdjson QUIET)
endif()
if(NOT TARGET rival_simdjson_source AND NOT simdjson_FOUND AND RTBWIRE_ALLOW_FETCH)
  FetchContent_Declare(simdjson
    GIT_REPOSITORY https://github.com/simdjson/simdjson GIT_TAG v4.6.7 GIT_SHALLOW ON)
  FetchContent_MakeAvailable(simdjson)
endif()
# Prefer the static library: in later packages the shared one needs a newer C++ runtime.
rival(simdjson rival_simdjson_source simdjson::simdjson_static simdjson::simdjson)

# ---- Boost.JSON ----
# Used as headers: its package has a version in its name, and the library needs others of Boost.
find_path(RTBWIRE_BOOSTJSON_INCLUDE boost/json/src.hpp)
rival_headers(boostjson ${RTBWIRE_BOOSTJSON_INCLUDE})

# ---- jsoncons ----
find_path(RTBWIRE_JSONCONS_INCLUDE jsoncons/json.hpp HINTS "${RTBWIRE_RIVALS}/jsoncons")
rival_headers(jsoncons ${RTBWIRE_JSONCONS_INCLUDE})

# ---- daw_json_link ----
find_package(daw-json-link QUIET)
set(daw_version "${daw-json-link_VERSION}")
set(daw_include "")
if(RTBWIRE_DAW_SOURCE)
  set(daw_include "${RTBWIRE_DAW_SOURCE}/include")
  set(daw_version 3.29.1)
elseif(NOT daw-json-link_FOUND AND RTBWIRE_ALLOW_FETCH)
  FetchContent_Declare(daw_json_link
    GIT_REPOSITORY https://github.com/beached/daw_json_link GIT_TAG v3.29.1 GIT_SHALLOW ON)
  FetchContent_MakeAvailable(daw_json_link)
  set(daw_version 3.29.1)
endif()
if(daw_include)
  rival_headers(daw ${daw_include})
else()
  rival(daw daw::daw-json-link)
endif()
if(TARGET rival_daw)
  target_compile_definitions(rival_daw INTERFACE RTBWIRE_DAW_VERSION="${daw_version}")
endif()

# ---- Glaze ----
# Glaze needs C++23, so its row is compiled separately. 6.4.0 is the last version for g++ 12; later
# ones need <format>.
find_package(glaze QUIET)
set(glaze_include ${RTBWIRE_GLAZE_SOURCE})
if(TARGET glaze::glaze)
  get_target_property(glaze_include glaze::glaze INTERFACE_INCLUDE_DIRECTORIES)
elseif(RTBWIRE_GLAZE_SOURCE)
  set(glaze_include ${RTBWIRE_GLAZE_SOURCE}/include)
elseif(RTBWIRE_ALLOW_FETCH)
  FetchContent_Declare(glaze
    GIT_REPOSITORY https://github.com/stephenberry/glaze GIT_TAG v6.4.0 GIT_SHALLOW ON
    SOURCE_SUBDIR none)
  FetchContent_MakeAvailable(glaze)
  set(glaze_include ${glaze_SOURCE_DIR}/include)
endif()
if(glaze_include)
  set(CMAKE_REQUIRED_INCLUDES ${glaze_include})
  set(CMAKE_REQUIRED_FLAGS ${CMAKE_CXX23_STANDARD_COMPILE_OPTION})
  set(saved_standard ${CMAKE_CXX_STANDARD})
  unset(CMAKE_CXX_STANDARD)  # otherwise the check uses the standard of the project
  check_cxx_source_compiles("#include <glaze/json.hpp>
    int main() { glz::generic value; return glz::read_json(value, std::string{\"{}\"}) ? 1 : 0; }"
    RTBWIRE_GLAZE_COMPILES)
  set(CMAKE_CXX_STANDARD ${saved_standard})
  unset(CMAKE_REQUIRED_INCLUDES)
  unset(CMAKE_REQUIRED_FLAGS)
  if(NOT RTBWIRE_GLAZE_COMPILES)
    message(NOTICE
      "benchmark: this compiler cannot compile the Glaze in ${glaze_include} (6.4.0 needs g++ 12)")
    set(glaze_include "")
  endif()
endif()
rival_headers(glaze ${glaze_include})

if(rivals_left_out)
  list(JOIN rivals_left_out ", " rivals_text)
  message(NOTICE "benchmark: not measured, because not installed: ${rivals_text}. "
    "scripts/rivals.sh and make setup ARGS=cpp-bench get them from packages, "
    "-DRTBWIRE_ALLOW_FETCH=ON from where they are developed"
    "; Glaze: -DRTBWIRE_GLAZE_SOURCE=FOLDER, daw_json_link: -DRTBWIRE_DAW_SOURCE=FOLDER")
endif()
