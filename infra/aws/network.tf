# The network: a VPC, unless var.network names an existing one, and the security groups with all permitted connections.

locals {
  zones              = var.network == null ? slice(data.aws_availability_zones.available[0].names, 0, 2) : []
  vpc_id             = var.network == null ? aws_vpc.main[0].id : var.network.vpc_id
  public_subnet_ids  = var.network == null ? aws_subnet.public[*].id : var.network.public_subnet_ids
  private_subnet_ids = var.network == null ? aws_subnet.private[*].id : var.network.private_subnet_ids
  # The ranges of the load balancer, which the edge trusts as a proxy, and of the edge, which auth trusts as a proxy.
  public_ranges  = var.network == null ? aws_subnet.public[*].cidr_block : [for id in var.network.public_subnet_ids : data.aws_subnet.existing[id].cidr_block]
  private_ranges = var.network == null ? aws_subnet.private[*].cidr_block : [for id in var.network.private_subnet_ids : data.aws_subnet.existing[id].cidr_block]
}

data "aws_availability_zones" "available" {
  count = var.network == null ? 1 : 0
  state = "available"
}

data "aws_subnet" "existing" {
  for_each = toset(var.network == null ? [] : concat(var.network.public_subnet_ids, var.network.private_subnet_ids))
  id       = each.key
}

resource "aws_vpc" "main" {
  count                = var.network == null ? 1 : 0
  cidr_block           = var.vpc_cidr
  enable_dns_hostnames = true
  tags                 = { Name = var.name }
}

# The default group has no rules, so that an instance without a group of its own has no network access.
resource "aws_default_security_group" "main" {
  count  = var.network == null ? 1 : 0
  vpc_id = aws_vpc.main[0].id
}

resource "aws_internet_gateway" "main" {
  count  = var.network == null ? 1 : 0
  vpc_id = aws_vpc.main[0].id
  tags   = { Name = var.name }
}

resource "aws_subnet" "public" {
  count             = length(local.zones)
  vpc_id            = aws_vpc.main[0].id
  availability_zone = local.zones[count.index]
  cidr_block        = cidrsubnet(var.vpc_cidr, 8, count.index)
  tags              = { Name = "${var.name}-public-${count.index}" }
}

resource "aws_subnet" "private" {
  count             = length(local.zones)
  vpc_id            = aws_vpc.main[0].id
  availability_zone = local.zones[count.index]
  cidr_block        = cidrsubnet(var.vpc_cidr, 8, count.index + 10)
  tags              = { Name = "${var.name}-private-${count.index}" }
}

# A NAT gateway in each zone for mail, images and secrets, so that the outage of one zone does not affect the other.
resource "aws_eip" "nat" {
  count  = min(var.nat_gateways, length(local.zones))
  domain = "vpc"
  tags   = { Name = "${var.name}-nat-${count.index}" }
}

resource "aws_nat_gateway" "main" {
  count         = length(aws_eip.nat)
  allocation_id = aws_eip.nat[count.index].id
  subnet_id     = aws_subnet.public[count.index].id
  tags          = { Name = "${var.name}-${count.index}" }
  depends_on    = [aws_internet_gateway.main]
}

resource "aws_route_table" "public" {
  count  = var.network == null ? 1 : 0
  vpc_id = aws_vpc.main[0].id
  tags   = { Name = "${var.name}-public" }

  route {
    cidr_block = "0.0.0.0/0"
    gateway_id = aws_internet_gateway.main[0].id
  }
}

resource "aws_route_table" "private" {
  count  = length(local.zones)
  vpc_id = aws_vpc.main[0].id
  tags   = { Name = "${var.name}-private-${count.index}" }

  route {
    cidr_block     = "0.0.0.0/0"
    nat_gateway_id = aws_nat_gateway.main[min(count.index, var.nat_gateways - 1)].id
  }
}

resource "aws_route_table_association" "public" {
  count          = length(local.zones)
  subnet_id      = aws_subnet.public[count.index].id
  route_table_id = aws_route_table.public[0].id
}

resource "aws_route_table_association" "private" {
  count          = length(local.zones)
  subnet_id      = aws_subnet.private[count.index].id
  route_table_id = aws_route_table.private[count.index].id
}

# The permitted connections between security groups. All others are denied.
locals {
  flows = {
    for flow in concat(
      [["load-balancer", "edge", local.services.edge.port], ["load-balancer", "edge", local.services.edge.ready_port]],
      [["edge", "auth", local.services.auth.port], ["edge", "data", local.services.data.port], ["edge", "data", local.services.data.ready_port]],
      [for name, ports in local.services : ["edge", name, ports.port] if name == "realtime"],
      [for pair in setproduct(local.readers, values(local.services.data)) : ["edge", pair[0], pair[1]]],
      [for name in local.tasks : [name, "database", 5432] if name != "edge"],
    ) : join("-", flow) => { from = flow[0], to = flow[1], port = tonumber(flow[2]) }
  }
}

resource "aws_security_group" "main" {
  for_each = merge({ load-balancer = "The way in", edge = "The edge", auth = "The auth service", data = "PostgREST", migrate = "The migration", database = "PostgreSQL" },
    local.has_realtime ? { realtime = "Live streams, webhooks and calendars" } : {},
  { for name in local.readers : name => "PostgREST on a read replica" })
  name        = "${var.name}-${each.key}"
  description = each.value
  vpc_id      = local.vpc_id
  tags        = { Name = "${var.name}-${each.key}" }
}

resource "aws_vpc_security_group_ingress_rule" "public" {
  for_each          = { https = 443, http = 80 }
  security_group_id = aws_security_group.main["load-balancer"].id
  description       = each.key
  cidr_ipv4         = "0.0.0.0/0"
  ip_protocol       = "tcp"
  from_port         = each.value
  to_port           = each.value
}

resource "aws_vpc_security_group_ingress_rule" "flow" {
  for_each                     = local.flows
  security_group_id            = aws_security_group.main[each.value.to].id
  description                  = "from ${each.value.from}"
  referenced_security_group_id = aws_security_group.main[each.value.from].id
  ip_protocol                  = "tcp"
  from_port                    = each.value.port
  to_port                      = each.value.port
}

resource "aws_vpc_security_group_egress_rule" "flow" {
  for_each                     = local.flows
  security_group_id            = aws_security_group.main[each.value.from].id
  description                  = "to ${each.value.to}"
  referenced_security_group_id = aws_security_group.main[each.value.to].id
  ip_protocol                  = "tcp"
  from_port                    = each.value.port
  to_port                      = each.value.port
}

locals {
  collector_port = (var.tracing == null ? 0
    : startswith(var.tracing.endpoint, "https:") ? tonumber(try(regex("^https://[^/:]+:([0-9]+)", var.tracing.endpoint)[0], 443))
  : tonumber(try(regex("^http://[^/:]+:([0-9]+)", var.tracing.endpoint)[0], 80)))
}

# The auth service connects to mail providers and single sign-on, which operators choose. It, or realtime, connects to webhooks, which users
# choose. The other tasks need only AWS: with endpoints in the VPC they reach nothing else at 443.
locals {
  interface_endpoints = var.vpc_endpoints ? ["secretsmanager", "ecr.api", "ecr.dkr", "logs"] : []
  https_tasks         = var.vpc_endpoints ? setintersection(local.tasks, ["auth", "realtime"]) : local.tasks
}

resource "aws_vpc_security_group_egress_rule" "https" {
  for_each          = toset(local.https_tasks)
  security_group_id = aws_security_group.main[each.key].id
  description       = "HTTPS"
  cidr_ipv4         = "0.0.0.0/0"
  ip_protocol       = "tcp"
  from_port         = 443
  to_port           = 443
}

# The endpoints of AWS in the VPC: each has an address in the private subnets and answers only the tasks.
resource "aws_security_group" "endpoints" {
  count       = var.vpc_endpoints ? 1 : 0
  name        = "${var.name}-endpoints"
  description = "Endpoints of AWS"
  vpc_id      = local.vpc_id
  tags        = { Name = "${var.name}-endpoints" }
}

resource "aws_vpc_security_group_ingress_rule" "endpoints" {
  for_each                     = toset(var.vpc_endpoints ? local.tasks : [])
  security_group_id            = aws_security_group.endpoints[0].id
  description                  = "from ${each.key}"
  referenced_security_group_id = aws_security_group.main[each.key].id
  ip_protocol                  = "tcp"
  from_port                    = 443
  to_port                      = 443
}

resource "aws_vpc_security_group_egress_rule" "endpoints" {
  for_each                     = toset(var.vpc_endpoints ? local.tasks : [])
  security_group_id            = aws_security_group.main[each.key].id
  description                  = "to endpoints of AWS"
  referenced_security_group_id = aws_security_group.endpoints[0].id
  ip_protocol                  = "tcp"
  from_port                    = 443
  to_port                      = 443
}

resource "aws_vpc_endpoint" "interface" {
  for_each            = toset(local.interface_endpoints)
  vpc_id              = local.vpc_id
  service_name        = "com.amazonaws.${var.region}.${each.key}"
  vpc_endpoint_type   = "Interface"
  subnet_ids          = local.private_subnet_ids
  security_group_ids  = aws_security_group.endpoints[*].id
  private_dns_enabled = true
  tags                = { Name = "${var.name}-${each.key}" }
}

# The layers of images and the files of transactions are in S3. This endpoint is a route, and free.
resource "aws_vpc_endpoint" "s3" {
  count             = var.vpc_endpoints ? 1 : 0
  vpc_id            = local.vpc_id
  service_name      = "com.amazonaws.${var.region}.s3"
  vpc_endpoint_type = "Gateway"
  route_table_ids   = var.network == null ? aws_route_table.private[*].id : var.private_route_table_ids
  tags              = { Name = "${var.name}-s3" }
}

resource "aws_vpc_security_group_egress_rule" "s3" {
  for_each          = toset(var.vpc_endpoints ? local.tasks : [])
  security_group_id = aws_security_group.main[each.key].id
  description       = "to S3"
  prefix_list_id    = aws_vpc_endpoint.s3[0].prefix_list_id
  ip_protocol       = "tcp"
  from_port         = 443
  to_port           = 443
}

# for spans, unless the rule above already allows them
resource "aws_vpc_security_group_egress_rule" "tracing" {
  for_each          = toset([for name in local.node_services : name if local.collector_port != 0 && !(local.collector_port == 443 && contains(local.https_tasks, name))])
  security_group_id = aws_security_group.main[each.key].id
  description       = "spans"
  cidr_ipv4         = var.tracing.cidr
  ip_protocol       = "tcp"
  from_port         = local.collector_port
  to_port           = local.collector_port
}

resource "aws_vpc_security_group_egress_rule" "smtp" {
  for_each          = var.mail.provider == "smtp" ? { submission = 587, submissions = 465 } : {}
  security_group_id = aws_security_group.main["auth"].id
  description       = "mail, ${each.key}"
  cidr_ipv4         = "0.0.0.0/0"
  ip_protocol       = "tcp"
  from_port         = each.value
  to_port           = each.value
}
