# The values come in as ephemeral variables and leave by write-only arguments: neither plan nor state ever holds one.
locals {
  secrets = {
    better_auth_secret     = "Signs cookies and encrypts the signing keys"
    auth_service_password  = "Password of the database login auth_service"
    authenticator_password = "Password of the database login authenticator"
    mail_secret            = "Key of the mail provider, or the SMTP URL"
  }
}

resource "aws_secretsmanager_secret" "main" {
  for_each    = local.secrets
  name        = "${var.name}/${each.key}"
  description = each.value
}

resource "aws_secretsmanager_secret_version" "better_auth_secret" {
  secret_id                = aws_secretsmanager_secret.main["better_auth_secret"].id
  secret_string_wo         = var.better_auth_secret
  secret_string_wo_version = var.secret_versions.better_auth_secret
}

resource "aws_secretsmanager_secret_version" "auth_service_password" {
  secret_id                = aws_secretsmanager_secret.main["auth_service_password"].id
  secret_string_wo         = var.auth_service_password
  secret_string_wo_version = var.secret_versions.auth_service_password
}

resource "aws_secretsmanager_secret_version" "authenticator_password" {
  secret_id                = aws_secretsmanager_secret.main["authenticator_password"].id
  secret_string_wo         = var.authenticator_password
  secret_string_wo_version = var.secret_versions.authenticator_password
}

resource "aws_secretsmanager_secret_version" "mail_secret" {
  secret_id                = aws_secretsmanager_secret.main["mail_secret"].id
  secret_string_wo         = var.mail_secret
  secret_string_wo_version = var.secret_versions.mail_secret
}
