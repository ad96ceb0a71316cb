# The object storage of files: receipts of transactions. The auth service writes them, browsers read them at addresses that it signs for a
# minute, and the operator's command moves and checks them. No other task has access.

locals {
  files_bucket = var.files_in_s3 ? 1 : 0
  files_prefix = "files"
  # the tasks that read and write files; the operator's command runs as the task of the migration
  files_tasks = var.files_in_s3 ? toset(["auth", "migrate"]) : toset([])
  files_url   = var.files_in_s3 ? { FILES_URL = "s3://${aws_s3_bucket.files[0].id}/${local.files_prefix}?region=${var.region}" } : {}
  # the app's own origin, and those of apps elsewhere; after a redirect between origins a browser sends the origin null
  files_origins = distinct(compact(concat([local.public_url, "null"], try([regex("^https?://[^/]+", var.settings.APP_URL)], []), [for origin in split(",", lookup(var.settings, "TRUSTED_ORIGINS", "")) : trimspace(origin)])))
}

resource "aws_s3_bucket" "files" {
  count         = local.files_bucket
  bucket_prefix = "${var.name}-files-"
}

resource "aws_s3_bucket_public_access_block" "files" {
  count                   = local.files_bucket
  bucket                  = aws_s3_bucket.files[0].id
  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}

resource "aws_s3_bucket_ownership_controls" "files" {
  count  = local.files_bucket
  bucket = aws_s3_bucket.files[0].id

  rule {
    object_ownership = "BucketOwnerEnforced"
  }
}

resource "aws_s3_bucket_server_side_encryption_configuration" "files" {
  count  = local.files_bucket
  bucket = aws_s3_bucket.files[0].id

  rule {
    bucket_key_enabled = true
    apply_server_side_encryption_by_default {
      sse_algorithm     = var.kms_key_arn == null ? "AES256" : "aws:kms"
      kms_master_key_id = var.kms_key_arn
    }
  }
}

# A database that is restored to an earlier time needs the objects of that time.
resource "aws_s3_bucket_versioning" "files" {
  count  = local.files_bucket
  bucket = aws_s3_bucket.files[0].id

  versioning_configuration {
    status = "Enabled"
  }
}

resource "aws_s3_bucket_lifecycle_configuration" "files" {
  count      = local.files_bucket
  bucket     = aws_s3_bucket.files[0].id
  depends_on = [aws_s3_bucket_versioning.files]

  rule {
    id     = "deleted"
    status = "Enabled"
    filter {
      prefix = ""
    }
    noncurrent_version_expiration {
      noncurrent_days = var.files_deleted_days
    }
    expiration {
      expired_object_delete_marker = true
    }
    abort_incomplete_multipart_upload {
      days_after_initiation = 1
    }
  }
}

resource "aws_s3_bucket_cors_configuration" "files" {
  count  = local.files_bucket
  bucket = aws_s3_bucket.files[0].id

  cors_rule {
    allowed_methods = ["GET"]
    allowed_origins = local.files_origins
    allowed_headers = ["Range"]
    expose_headers  = ["Content-Range", "Accept-Ranges"]
    max_age_seconds = 3600
  }
}

data "aws_iam_policy_document" "files_bucket" {
  count = local.files_bucket

  statement {
    sid       = "OnlyEncryptedConnections"
    effect    = "Deny"
    actions   = ["s3:*"]
    resources = [aws_s3_bucket.files[0].arn, "${aws_s3_bucket.files[0].arn}/*"]
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
}

resource "aws_s3_bucket_policy" "files" {
  count  = local.files_bucket
  bucket = aws_s3_bucket.files[0].id
  policy = data.aws_iam_policy_document.files_bucket[0].json
}

# The role of the containers themselves. ECS gives them temporary credentials of it.
resource "aws_iam_role" "files" {
  for_each           = local.files_tasks
  name               = "${var.name}-${each.key}-files"
  assume_role_policy = data.aws_iam_policy_document.tasks_assume.json
}

data "aws_iam_policy_document" "files" {
  count = local.files_bucket

  statement {
    sid       = "OwnFiles"
    actions   = ["s3:GetObject", "s3:PutObject", "s3:DeleteObject"]
    resources = ["${aws_s3_bucket.files[0].arn}/${local.files_prefix}/*"]
  }
  # without it S3 responds with 403 in place of 404 to a missing object
  statement {
    sid       = "OwnNames"
    actions   = ["s3:ListBucket"]
    resources = [aws_s3_bucket.files[0].arn]
    condition {
      test     = "StringLike"
      variable = "s3:prefix"
      values   = ["${local.files_prefix}/*"]
    }
  }
  dynamic "statement" {
    for_each = var.kms_key_arn[*]
    content {
      sid       = "OwnKey"
      actions   = ["kms:Decrypt", "kms:GenerateDataKey"]
      resources = [statement.value]
    }
  }
}

resource "aws_iam_role_policy" "files" {
  for_each = aws_iam_role.files
  name     = "files"
  role     = each.value.id
  policy   = data.aws_iam_policy_document.files[0].json
}
