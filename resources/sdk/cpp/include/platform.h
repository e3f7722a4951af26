// The same SDK under a shorter path.
#pragma once

#include "platform/platform.h"
