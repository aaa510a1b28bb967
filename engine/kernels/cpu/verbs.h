// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// Everything a generated kernel may say.

#include "engine/kernels/common/arithmetic.h"
#include "engine/kernels/common/attempt.h"
#include "engine/kernels/common/cast.h"
#include "engine/kernels/common/compare.h"
#include "engine/kernels/common/date.h"
#include "engine/kernels/common/decimal.h"
#include "engine/kernels/common/list.h"
#include "engine/kernels/common/text_index.h"
#include "engine/kernels/common/text_match.h"
#include "engine/kernels/cpu/accumulate.h"
#include "engine/kernels/cpu/expand.h"
#include "engine/kernels/cpu/group.h"
#include "engine/kernels/cpu/output.h"
