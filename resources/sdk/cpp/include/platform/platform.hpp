// The same SDK under the C++ name of a header.
#pragma once

#include "platform.h"
