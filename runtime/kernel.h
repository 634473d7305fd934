#pragma once
// What a generated header includes.

#include "call.h"
#include "checked.h"
#include "element.h"
#include "leg.h"
#include "scalar.h"
#include "status.h"
#include "threads.h"
#include "view.h"
