// Included before all else in a build under the thread sanitizer: protobuf's map fields have two more members
// there, which the system's libprotobuf, built without it, does not know of. Knows nothing of leakhunt.
#pragma once

#include <version>  // the standard library shall still know of the sanitizer

#pragma push_macro("__SANITIZE_THREAD__")
#undef __SANITIZE_THREAD__
#include <google/protobuf/map_field.h>
#pragma pop_macro("__SANITIZE_THREAD__")
