// Boost.JSON, compiled once for this program.
#include <boost/json/src.hpp>
