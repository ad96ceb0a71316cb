output "public_url" {
  description = "The address of the app (base_url). The data surface is at /data below it."
  value       = local.public_url
}

output "load_balancer" {
  description = "The target of the DNS record of host_name: an alias in Route 53, a CNAME elsewhere."
  value       = { dns_name = aws_lb.main.dns_name, zone_id = aws_lb.main.zone_id }
}

output "database" {
  description = "The server's address, and the secret with the owner's password."
  value       = { address = aws_db_instance.main.address, owner_secret_arn = local.owner_secret }
}

output "task" {
  description = "The environment of ./task, ./migrate, ./admin and ./drill, as lines of a shell."
  value       = join("\n", [for name, value in local.task_variables : "export ${name}='${value}'"])
}

output "repositories" {
  description = "The repository to push the image to, with make_repositories."
  value       = { for name, repository in aws_ecr_repository.main : name => repository.repository_url }
}

output "log_groups" {
  description = "The log groups by service."
  value       = { for name, group in aws_cloudwatch_log_group.main : name => group.name }
}

output "secret_versions" {
  description = "The current version id of each secret that Terraform creates. Contains no value."
  value       = { for name, version in aws_secretsmanager_secret_version.main : name => version.version_id }
}
