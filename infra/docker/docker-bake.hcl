# Both images for two architectures, with what is in them and how they were made, from the root of the checkout:
#   VERSION=1.2.3 REGISTRY=registry.example.org docker buildx bake -f infra/docker/docker-bake.hcl --push
# Attestations and more than one architecture need a builder of their own: docker buildx create --use

variable "REGISTRY" {
  default = ""
}

variable "VERSION" {
  default = "latest"
}

function "tags" {
  params = [name]
  result = ["${REGISTRY == "" ? "" : "${REGISTRY}/"}${name}:${VERSION}"]
}

group "default" {
  targets = ["auth", "proxy"]
}

target "image" {
  context    = "."
  dockerfile = "infra/docker/Dockerfile"
  platforms  = ["linux/amd64", "linux/arm64"]
  attest     = ["type=sbom", "type=provenance,mode=max"]
  labels     = { "org.opencontainers.image.version" = VERSION, "org.opencontainers.image.licenses" = "MIT" }
}

target "auth" {
  inherits = ["image"]
  target   = "auth"
  tags     = tags("finance-backend")
}

target "proxy" {
  inherits = ["image"]
  target   = "proxy"
  tags     = tags("finance-proxy")
}
