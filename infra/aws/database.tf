locals {
  # Node's driver and libpq call the same thing by different names
  node_tls = var.database_ca_file == null ? "sslmode=no-verify" : "sslmode=verify-full&sslrootcert=${var.database_ca_file}"
  libpq_tls = var.database_ca_file == null ? { PGSSLMODE = "require" } : {
    PGSSLMODE = "verify-full", PGSSLROOTCERT = var.database_ca_file
  }
  database_at = "${aws_db_instance.main.address}:5432/${aws_db_instance.main.db_name}?${local.node_tls}"
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
  identifier     = var.name
  engine         = "postgres"
  engine_version = var.database.version
  instance_class = var.database.instance_class
  db_name        = "finance"
  username       = "finance_owner"
  # RDS makes the owner's password, keeps it in Secrets Manager and rotates it; only the migration may read it
  manage_master_user_password   = true
  master_user_secret_kms_key_id = var.kms_key_arn

  allocated_storage     = var.database.storage_gib
  max_allocated_storage = var.database.storage_limit_gib
  storage_type          = "gp3"
  storage_encrypted     = true
  kms_key_id            = var.kms_key_arn
  # the authority whose certificates the images hold
  ca_cert_identifier = "rds-ca-rsa2048-g1"

  db_subnet_group_name   = aws_db_subnet_group.main.name
  vpc_security_group_ids = [aws_security_group.main["database"].id]
  publicly_accessible    = false
  parameter_group_name   = aws_db_parameter_group.main.name
  multi_az               = var.database.multi_az

  backup_retention_period   = var.database.backup_days
  backup_window             = "02:00-03:00"
  maintenance_window        = "sun:03:30-sun:04:30"
  copy_tags_to_snapshot     = true
  deletion_protection       = var.database.deletion_protected
  skip_final_snapshot       = false
  final_snapshot_identifier = "${var.name}-final"

  auto_minor_version_upgrade      = true
  performance_insights_enabled    = true
  performance_insights_kms_key_id = var.kms_key_arn
  enabled_cloudwatch_logs_exports = ["postgresql", "upgrade"]
  depends_on                      = [aws_cloudwatch_log_group.made_by_aws]
}
