import type { Logger } from 'pino';
import { DEMO_API_KEY, DEMO_CLIENTS, DEMO_USERS } from './demo/demo-data.js';
import type { NewOAuthClient } from './modules/auth/clients/oauth-clients.service.js';
import type { NewUser } from './modules/users/users.service.js';
import type { Config } from './kit/config/config.js';
import { SERVICE_VERSION } from './version.js';
import { ADMIN } from './kit/security/scope.js';

const OPERATOR = ' (operator)';

export interface Ready {
  /** The address of the socket; behind a balancer clients go to another one. */
  readonly listensAt: string;
  readonly config: Pick<Config, 'publicUrl' | 'seedDemo'>;
}

/** What a person sees once the service is ready: where to go, and with which of the public credentials. */
export function banner({ listensAt, config }: Ready): string {
  const address = config.publicUrl;
  const lines = [
    `Tradepost ${SERVICE_VERSION} is ready.`,
    '',
    ...table([
      ['Address', address],
      ...(address === listensAt ? [] : [['Listens at', listensAt] as const]),
      ['Console', `${address}/console`],
      ['Swagger UI', `${address}/docs`],
      ['OpenAPI', `${address}/openapi.json`],
      ['Events', `${address}/asyncapi.json`],
      ['Health', `${address}/health`],
    ]),
    ...(config.seedDemo ? ['', ...demoCredentials()] : []),
    '',
    'Ctrl-C stops it.',
  ];
  return `\n${lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}\n\n`;
}

/** The same for programs: one line of the log, without any credentials. */
export function logReady(logger: Logger, { listensAt, config }: Ready): void {
  const address = config.publicUrl;
  const elsewhere = address === listensAt ? '' : ` (listens at ${listensAt})`;
  logger.info({ context: 'Service', address, listensAt }, `Tradepost serves ${address}${elsewhere}`);
}

function demoCredentials(): string[] {
  return [
    'Demo credentials, known to everybody:',
    ...table([
      ['Clients', DEMO_CLIENTS.map(clientInWords).join(', ')],
      ['Users', DEMO_USERS.map(userInWords).join(', ')],
      ['API key', DEMO_API_KEY.key],
    ]),
  ];
}

function clientInWords({ clientId, secret, scopes }: NewOAuthClient): string {
  return `${clientId} / ${secret}${scopes.includes(ADMIN.name) ? OPERATOR : ''}`;
}

function userInWords({ username, password, isOperator }: NewUser): string {
  return `${username} / ${password}${isOperator ? OPERATOR : ''}`;
}

function table(rows: readonly (readonly [string, string])[]): string[] {
  return rows.map(([name, value]) => `${name.padEnd(12)}${value}`);
}
