// SDK for bots on Bot Platform: identity, metrics, log lines, results, state and queries. Header-only, C++17, needs
// nlohmann-json.
#pragma once

#include "control.h"
#include "output.h"
#include "query.h"
#include "reserved.h"
#include "state.h"
