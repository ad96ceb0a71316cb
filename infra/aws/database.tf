locals {
  # RDS keeps a name for a server and not for what is in it: one that is restored has another
  database_identifier = var.restore == null ? var.name : var.restore.identifier
  # Node's driver and libpq call the same thing by different names
  node_tls = var.database_ca_file == null ? "sslmode=no-verify" : "sslmode=verify-full&sslrootcert=${var.database_ca_file}"
  libpq_tls = var.database_ca_file == null ? { PGSSLMODE = "require" } : {
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
  # what is slow is worth a line; the values of a statement are not logged
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

resource "aws_db_instance" "main" {
  identifier     = local.database_identifier
  engine         = "postgres"
  engine_version = var.database.version
  instance_class = var.database.instance_class
  # a restored one has its database already
  db_name  = var.restore == null ? "finance" : null
  username = "finance_owner"
  # RDS makes the owner's password, keeps it in Secrets Manager and rotates it; only the migration may read it
  manage_master_user_password   = true
  master_user_secret_kms_key_id = var.kms_key_arn

  allocated_storage     = var.database.storage_gib
  max_allocated_storage = var.database.storage_limit_gib
  storage_type          = "gp3"
  storage_encrypted     = true
  kms_key_id            = var.kms_key_arn
  # the authority whose certificates the auth image holds
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
  # they outlive the server
  delete_automated_backups  = false
  deletion_protection       = var.database.deletion_protected
  skip_final_snapshot       = false
  final_snapshot_identifier = "${var.name}-final"

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
    # how a server came to be is no reason to make another
    ignore_changes = [restore_to_point_in_time, db_name]
  }
}

# RDS copies every backup, and what is between two, to another region, where it can be restored when this one is lost.
resource "aws_db_instance_automated_backups_replication" "main" {
  provider               = aws.copies
  count                  = var.copies == null ? 0 : 1
  source_db_instance_arn = aws_db_instance.main.arn
  retention_period       = var.copies.days
  kms_key_id             = var.copies.kms_key_arn
}
