# Logs of the services, the load balancer, the network and the database, and their retention.
resource "aws_cloudwatch_log_group" "main" {
  for_each          = toset(local.tasks)
  name              = "/${var.name}/${each.key}"
  retention_in_days = var.log_retention_days
  kms_key_id        = var.kms_key_arn
}

# without these resources AWS creates the groups itself, with unlimited retention
resource "aws_cloudwatch_log_group" "made_by_aws" {
  for_each = {
    postgresql = "/aws/rds/instance/${local.database_identifier}/postgresql"
    upgrade    = "/aws/rds/instance/${local.database_identifier}/upgrade"
    insights   = "/aws/ecs/containerinsights/${var.name}/performance"
  }
  name              = each.value
  retention_in_days = var.log_retention_days
  kms_key_id        = var.kms_key_arn
}

locals {
  # an existing network (var.network) gets no flow log, because its owner decides on logs
  logs        = { for name, days in { access = var.access_log_days, flow = var.network == null ? var.flow_log_days : 0 } : name => days if days > 0 }
  logs_bucket = length(local.logs) > 0 ? 1 : 0
}

data "aws_caller_identity" "main" {}

resource "aws_s3_bucket" "logs" {
  count         = local.logs_bucket
  bucket_prefix = "${var.name}-logs-"
}

resource "aws_s3_bucket_public_access_block" "logs" {
  count                   = local.logs_bucket
  bucket                  = aws_s3_bucket.logs[0].id
  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}

resource "aws_s3_bucket_ownership_controls" "logs" {
  count  = local.logs_bucket
  bucket = aws_s3_bucket.logs[0].id

  rule {
    object_ownership = "BucketOwnerEnforced"
  }
}

# S3's own key even with kms_key_arn, because the load balancer can write only to such a bucket
resource "aws_s3_bucket_server_side_encryption_configuration" "logs" {
  count  = local.logs_bucket
  bucket = aws_s3_bucket.logs[0].id

  rule {
    apply_server_side_encryption_by_default {
      sse_algorithm = "AES256"
    }
  }
}

resource "aws_s3_bucket_lifecycle_configuration" "logs" {
  count  = local.logs_bucket
  bucket = aws_s3_bucket.logs[0].id

  dynamic "rule" {
    for_each = local.logs
    content {
      id     = rule.key
      status = "Enabled"
      filter {
        prefix = "${rule.key}/"
      }
      expiration {
        days = rule.value
      }
      abort_incomplete_multipart_upload {
        days_after_initiation = 1
      }
    }
  }
}

data "aws_iam_policy_document" "logs" {
  count = local.logs_bucket

  statement {
    sid       = "OnlyEncryptedConnections"
    effect    = "Deny"
    actions   = ["s3:*"]
    resources = [aws_s3_bucket.logs[0].arn, "${aws_s3_bucket.logs[0].arn}/*"]
    principals {
      type        = "*"
      identifiers = ["*"]
    }
    condition {
      test     = "Bool"
      variable = "aws:SecureTransport"
      values   = ["false"]
    }
  }

  dynamic "statement" {
    for_each = { for name, service in { access = "logdelivery.elasticloadbalancing.amazonaws.com", flow = "delivery.logs.amazonaws.com" } : name => service if contains(keys(local.logs), name) }
    content {
      sid       = "Write${title(statement.key)}"
      actions   = ["s3:PutObject"]
      resources = ["${aws_s3_bucket.logs[0].arn}/${statement.key}/AWSLogs/${data.aws_caller_identity.main.account_id}/*"]
      principals {
        type        = "Service"
        identifiers = [statement.value]
      }
      # only for flow logs: the load balancer's service does not send the account; the path contains it instead
      dynamic "condition" {
        for_each = statement.key == "flow" ? [data.aws_caller_identity.main.account_id] : []
        content {
          test     = "StringEquals"
          variable = "aws:SourceAccount"
          values   = [condition.value]
        }
      }
    }
  }

  # the flow log service reads the bucket's ACL before it writes
  statement {
    sid       = "LookAtTheBucket"
    actions   = ["s3:GetBucketAcl", "s3:ListBucket"]
    resources = [aws_s3_bucket.logs[0].arn]
    principals {
      type        = "Service"
      identifiers = ["delivery.logs.amazonaws.com"]
    }
    condition {
      test     = "StringEquals"
      variable = "aws:SourceAccount"
      values   = [data.aws_caller_identity.main.account_id]
    }
  }
}

resource "aws_s3_bucket_policy" "logs" {
  count  = local.logs_bucket
  bucket = aws_s3_bucket.logs[0].id
  policy = data.aws_iam_policy_document.logs[0].json
}

resource "aws_flow_log" "main" {
  count                = contains(keys(local.logs), "flow") ? 1 : 0
  vpc_id               = local.vpc_id
  traffic_type         = "ALL"
  log_destination_type = "s3"
  log_destination      = "${aws_s3_bucket.logs[0].arn}/flow"
  tags                 = { Name = var.name }
  depends_on           = [aws_s3_bucket_policy.logs]
}
