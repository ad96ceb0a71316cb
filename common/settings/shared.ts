/** The settings that several programs read: the addresses, the proxies, the commands and the log. */
import { z } from 'zod'
import {
  addressRange,
  appUrl,
  isDecodable,
  list,
  origin,
  port,
  urlOf,
  withoutSlash,
} from './formats.ts'
import { all, setting } from './setting.ts'

/** The addresses of the deployment and of its app. */
export const addresses = {
  NODE_ENV: setting(z.string().optional(), {
    description: '`production` turns missing secrets and a missing mail provider into errors',
  }),
  PUBLIC_URL: setting(origin.optional(), {
    description:
      "base_url: the public address, the token's `aud` and `iss`, the start of every mailed link",
    unset: '`http://localhost:$PORT`',
  }),
  APP_DIR: setting(z.string().optional(), {
    description:
      'a built single-page app that the edge serves at `/`: the folder with its `index.html` ([front-ends.md](front-ends.md)). `none` serves no app, not the reference app either',
    unset: '[the reference app](../app/README.md) if `APP_URL` is not set',
    services: all,
  }),
  APP_CSP: setting(
    z.string().regex(/^[\x20-\x7e]*$/, 'must be one line of plain text').refine(
      (value) => !/["`{}\\]/.test(value),
      'must hold no ", `, \\, { or }',
    )
      .default("frame-ancestors 'none'"),
    {
      description:
        "the Content-Security-Policy of that app's documents; the reference app has a strict one",
      services: ['auth', 'edge'],
    },
  ),
  APP_URL: setting(appUrl.optional(), {
    description: "the app's address, which mailed links lead to; its origin is trusted",
    unset: '`PUBLIC_URL`',
    services: all,
  }),
  HOST: setting(
    z.union([z.ipv4(), z.ipv6()], 'must be an address such as 127.0.0.1').default('127.0.0.1'),
    {
      description: 'the address that both surfaces listen on; containers listen on `0.0.0.0`',
    },
  ),
  PORT: setting(port(3000), {
    description: "the auth surface's port, or that of the edge as a process of its own",
  }),
  DATA_PORT: setting(port(3001), { description: "the data surface's port" }),
  DATA_URL: setting(
    urlOf(/^https?:$/, 'https://money.example.org/data').transform(withoutSlash).optional(),
    {
      description:
        "data_url as clients see it: in `/`, in the start message and in PostgREST's own description",
      unset: '`http://localhost:$DATA_PORT`',
    },
  ),
}

/** The proxies in front of the deployment. */
export const proxies = {
  TRUSTED_PROXIES: setting(list.pipe(z.array(addressRange)).default([]), {
    description: 'CIDR ranges of proxies; their `X-Forwarded-For` is trusted',
  }),
}

/** The commands of the operator, for messages. */
export const commands = {
  ADMIN_COMMAND: setting(z.string().default('npm run admin --'), {
    description: "the operator's command, for messages; each way of running sets its own",
  }),
  MIGRATE_COMMAND: setting(z.string().default('npm run migrate'), {
    description: 'the command of the migration, for messages; each way of running sets its own',
  }),
}

/** The traces and the log. */
export const monitoring = {
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(urlOf(/^https?:$/, 'http://collector:4318').optional(), {
    description:
      'a collector that receives [traces](monitoring.md) by OTLP over HTTP; without it nothing is traced',
    services: all,
  }),
  OTEL_EXPORTER_OTLP_HEADERS: setting(
    z.string().refine(
      (value) => isDecodable(value) && /^[^=,\s]+=[^,\r\n]*(,[^=,\s]+=[^,\r\n]*)*$/.test(value),
      'must be a list such as name=value,name=value',
    ).optional(),
    {
      description: 'headers that the collector requires, such as a key (`name=value,…`)',
      secret: true,
      services: all,
    },
  ),
  LOG_LEVEL: setting(
    z.enum(
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      'must be trace, debug, info, warn, error, fatal or silent',
    ).default('info'),
    { description: '`trace` to `silent`', services: all },
  ),
}
