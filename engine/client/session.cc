// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/client/session.h"

namespace shadowvm::client {

std::shared_ptr<Session> Session::MakeOn(std::unique_ptr<Runner> runner, v1::Settings settings) {
  return std::shared_ptr<Session>(new Session(std::move(runner), std::move(settings)));
}

Frame Session::Scan(std::string path) {
  return client::Scan(std::move(path)).WithSession(shared_from_this());
}

Frame Session::Scan(std::vector<std::string> paths) {
  return client::Scan(std::move(paths)).WithSession(shared_from_this());
}

Frame Session::Table(std::string name) {
  return client::Table(std::move(name)).WithSession(shared_from_this());
}

arrow::Status Session::AddTable(const std::string& name, std::shared_ptr<arrow::Table> table) {
  return runner_->AddTable(name, std::move(table));
}

arrow::Result<std::shared_ptr<arrow::Table>> Session::Run(const v1::Command& command) {
  return runner_->Run(command);
}

}  // namespace shadowvm::client
