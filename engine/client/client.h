// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// The whole client in one include.
#include "engine/client/connect.h"
#include "engine/client/expression.h"
#include "engine/client/frame.h"
#include "engine/client/session.h"
#include "engine/client/types.h"
