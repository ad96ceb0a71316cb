# Three generated secrets. Secrets Manager generates the values. Terraform handles them as ephemeral values and write-only arguments, so that
# neither plan nor state contains one. Each plan generates values, but uses one only if the secret is new or its number in secret_versions
# was raised. You create the secret of the mail provider (mail.secret_arn), and RDS that of the owner's password.
locals {
  secrets = merge(var.better_auth_secret_arn == null ? {
    better_auth_secret = "Signs cookies and encrypts the signing keys"
    } : {}, {
    auth_service_password  = "Password of the database login auth_service"
    authenticator_password = "Password of the database login authenticator"
  })
}

ephemeral "aws_secretsmanager_random_password" "main" {
  provider            = aws.secrets
  for_each            = local.secrets
  password_length     = 48
  exclude_punctuation = true
}

resource "aws_secretsmanager_secret" "main" {
  provider    = aws.secrets
  for_each    = local.secrets
  name        = "${var.name}/${each.key}"
  description = each.value
  kms_key_id  = var.kms_key_arn

  # without this replica nothing could decrypt the signing keys of a database that is restored in the other region
  dynamic "replica" {
    for_each = each.key == "better_auth_secret" && var.copies != null ? [var.copies] : []
    content {
      region     = replica.value.region
      kms_key_id = replica.value.kms_key_arn
    }
  }
}

resource "aws_secretsmanager_secret_version" "main" {
  provider                 = aws.secrets
  for_each                 = local.secrets
  secret_id                = aws_secretsmanager_secret.main[each.key].id
  secret_string_wo         = ephemeral.aws_secretsmanager_random_password.main[each.key].random_password
  secret_string_wo_version = var.secret_versions[each.key]
}
