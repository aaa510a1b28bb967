// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// Everything a kernel for a GPU may say. The words are those of cpu/verbs.h; what is not here yet
// is refused before text is written (engine/vkernel/render/target.h).

#include "engine/kernels/cuda/machine.h"
// The machine comes first: what follows is compiled for it.
#include "engine/kernels/common/attempt.h"
#include "engine/kernels/common/cast.h"
#include "engine/kernels/common/date.h"
#include "engine/kernels/common/decimal.h"
#include "engine/kernels/common/list.h"
#include "engine/kernels/common/text_index.h"
#include "engine/kernels/cuda/expand.h"
#include "engine/kernels/cuda/group.h"
#include "engine/kernels/cuda/hash_group.h"
#include "engine/kernels/cuda/kernel.h"
#include "engine/kernels/cuda/output.h"
#include "engine/kernels/cuda/table.h"
