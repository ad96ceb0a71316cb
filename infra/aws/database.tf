# The RDS server with its parameters, and the copies of its backups in another region.

locals {
  # the identifier belongs to one server; a restored server needs another one
  database_identifier = var.restore == null ? var.name : var.restore.identifier
  # the file of certificates, or nothing
  database_ca = var.database_ca_unverified ? [] : [var.database_ca_file]
  # encryption without verification is `no-verify` in Node's driver and `require` in libpq
  node_tls = var.database_ca_unverified ? "sslmode=no-verify" : "sslmode=verify-full&sslrootcert=${var.database_ca_file}"
  libpq_tls = var.database_ca_unverified ? { PGSSLMODE = "require" } : {
    PGSSLMODE = "verify-full", PGSSLROOTCERT = "/certificates/ca.pem"
  }
  database_at = "${aws_db_instance.main.address}:5432/finance?${local.node_tls}"
}

resource "aws_db_subnet_group" "main" {
  name       = var.name
  subnet_ids = local.private_subnet_ids
}

resource "aws_db_parameter_group" "main" {
  name_prefix = "${var.name}-"
  family      = "postgres${split(".", var.database.version)[0]}"

  parameter {
    name  = "rds.force_ssl"
    value = "1"
  }
  # no failed statement and no row in the log, as in compose.yaml
  dynamic "parameter" {
    for_each = { log_min_messages = "log", log_min_error_statement = "panic", log_error_verbosity = "terse" }
    content {
      name  = parameter.key
      value = parameter.value
    }
  }
  # logs slow statements, without their values
  parameter {
    name  = "log_min_duration_statement"
    value = "1000"
  }
  parameter {
    name  = "log_parameter_max_length"
    value = "0"
  }
  parameter {
    name  = "log_parameter_max_length_on_error"
    value = "0"
  }

  lifecycle {
    create_before_destroy = true
  }
}

# Its id is new in each installation, so that the last snapshot of a second one does not collide with that of the first.
resource "terraform_data" "final_snapshot" {}

resource "aws_db_instance" "main" {
  identifier     = local.database_identifier
  engine         = "postgres"
  engine_version = var.database.version
  instance_class = var.database.instance_class
  # a restored server already has the database
  db_name  = var.restore == null ? "finance" : null
  username = "finance_owner"
  # RDS creates and rotates the owner's password in Secrets Manager; only the migration can read it
  manage_master_user_password   = true
  master_user_secret_kms_key_id = var.kms_key_arn

  allocated_storage     = var.database.storage_gib
  max_allocated_storage = var.database.storage_limit_gib
  storage_type          = "gp3"
  storage_encrypted     = true
  kms_key_id            = var.kms_key_arn
  # the auth image contains the certificates of this authority
  ca_cert_identifier = "rds-ca-rsa2048-g1"

  db_subnet_group_name   = aws_db_subnet_group.main.name
  vpc_security_group_ids = [aws_security_group.main["database"].id]
  publicly_accessible    = false
  parameter_group_name   = aws_db_parameter_group.main.name
  multi_az               = var.database.multi_az

  backup_retention_period = var.database.backup_days
  backup_window           = "02:00-03:00"
  maintenance_window      = "sun:03:30-sun:04:30"
  copy_tags_to_snapshot   = true
  # backups remain after the server is deleted
  delete_automated_backups  = false
  deletion_protection       = var.database.deletion_protected
  skip_final_snapshot       = false
  final_snapshot_identifier = "${local.database_identifier}-final-${terraform_data.final_snapshot.id}"

  auto_minor_version_upgrade      = true
  performance_insights_enabled    = true
  performance_insights_kms_key_id = var.kms_key_arn
  enabled_cloudwatch_logs_exports = ["postgresql", "upgrade"]
  depends_on                      = [aws_cloudwatch_log_group.made_by_aws]

  dynamic "restore_to_point_in_time" {
    for_each = var.restore[*]
    content {
      source_db_instance_identifier            = restore_to_point_in_time.value.source
      source_db_instance_automated_backups_arn = restore_to_point_in_time.value.backups_arn
      restore_time                             = restore_to_point_in_time.value.time
      use_latest_restorable_time               = restore_to_point_in_time.value.time == null ? true : null
    }
  }

  lifecycle {
    # these apply only to the creation; a later change must not replace the server
    ignore_changes = [restore_to_point_in_time, db_name]
  }
}

# RDS replicates backups and transaction logs to another region. The database can be restored there if this region is lost.
resource "aws_db_instance_automated_backups_replication" "main" {
  provider               = aws.copies
  count                  = var.copies == null ? 0 : 1
  source_db_instance_arn = aws_db_instance.main.arn
  retention_period       = var.copies.days
  kms_key_id             = var.copies.kms_key_arn
}
