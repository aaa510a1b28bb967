// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include "engine/base/status.h"
#include "engine/plan/expression.h"
#include "shadowvm/v1/expression.pb.h"

// Types and constants from their wire form, checked.
namespace shadowvm::plan {

base::Result<columns::Type> TypeFromProto(const v1::Type& type);
base::Result<ExpressionPtr> LiteralFromProto(const v1::Literal& literal);

}  // namespace shadowvm::plan
