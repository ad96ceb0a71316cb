output "public_url" {
  description = "What people type: base_url; the data surface is below it at /data."
  value       = local.public_url
}

output "load_balancer" {
  description = "Where the DNS record of host_name points: an alias in Route 53, a CNAME elsewhere."
  value       = { dns_name = aws_lb.main.dns_name, zone_id = aws_lb.main.zone_id }
}

output "database" {
  description = "The server's address, and the secret that holds the owner's password."
  value       = { address = aws_db_instance.main.address, owner_secret_arn = local.owner_secret }
}

output "task" {
  description = "The variables of ./task, which ./migrate, ./admin and ./drill use, as lines of a shell."
  value       = join("\n", [for name, value in local.task_variables : "export ${name}='${value}'"])
}

output "repositories" {
  description = "Where the image is pushed, with make_repositories."
  value       = { for name, repository in aws_ecr_repository.main : name => repository.repository_url }
}

output "log_groups" {
  description = "The log groups, by what writes into them."
  value       = { for name, group in aws_cloudwatch_log_group.main : name => group.name }
}

output "secret_versions" {
  description = "Which version of each secret that is made here is the current one; no value."
  value       = { for name, version in aws_secretsmanager_secret_version.main : name => version.version_id }
}
