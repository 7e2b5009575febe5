import type { LookupAddress } from 'node:dns';
import type { IncomingHttpHeaders } from 'node:http';
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP, type LookupFunction } from 'node:net';
import { rootCertificates } from 'node:tls';
import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { Agent, buildConnector, Dispatcher } from 'undici';
import { CONFIG, ConfigError, type Config } from '../config/config.js';
import { Boundary } from '../tracing/boundary.js';
import { presentTrace } from '../tracing/tracing.js';
import { HostNames } from './host-names.js';
import { OutgoingError } from './outgoing-error.js';
import { isPublicAddress } from './public-address.js';

const CONNECT_WITHIN_MS = 10_000;
/** As many as concurrent calls: one origin may serve many unrelated users. */
const CONNECTIONS_PER_ORIGIN_MAX = 128;
const IDLE_CONNECTION_KEPT_MS = 10_000;
const HEADER_BYTES_MAX = 16 * 1024;
const URL_LENGTH_MAX = 2_048;

const calls = new Boundary('client');

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export interface OutgoingRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** For everything: name resolution, connection, redirects and the whole body. */
  readonly timeoutMs: number;
  readonly bodyBytesMax: number;
  /** How to treat a longer body: fail (the default), or read only its beginning. */
  readonly longBody?: 'refuse' | 'cut';
  /** Whether plain http is allowed: for reading addresses that an operator provided. Default false. */
  readonly plainHttp?: boolean;
  /** How many redirects to follow; by default none, and the redirect is the answer. Only for GET and HEAD. */
  readonly redirectsMax?: number;
  readonly signal?: AbortSignal;
  /**
   * Whether it may reach the hosts of `OUTGOING_INTERNAL_HOSTS`. Never for an address that a user gave, who would then reach
   * inside. Default false.
   */
  readonly isInternal?: boolean;
  /** Whether it carries `traceparent`; for hosts of your own, since it names a trace of the service. Default false. */
  readonly isTraced?: boolean;
}

export interface OutgoingResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The followed redirects in order: status and target. */
  readonly redirects: readonly { readonly status: number; readonly url: string }[];
}

/**
 * Calls user-provided addresses, such as those of webhooks and feeds, over https and only on the public Internet. The
 * IP address is checked when the connection is made, after the name was resolved, so DNS rebinding gains nothing.
 * `WEBHOOK_ALLOW_PRIVATE`, for development, lifts both rules. An operator may list hosts inside, which a caller reaches that says
 * so.
 */
@Injectable()
export class OutgoingHttp implements OnModuleInit, OnApplicationShutdown {
  /** Created at the first call. */
  private agent: Promise<Agent> | undefined;
  private internalAgent: Promise<Agent> | undefined;
  private authorities: readonly string[] | undefined;

  constructor(
    private readonly names: HostNames,
    @Inject(CONFIG) private readonly config: Pick<Config, 'webhookAllowPrivate'> &
      Partial<Pick<Config, 'outgoing'>>,
  ) {}

  /** Throws a StartRefusal for certificate authorities that cannot be read. */
  onModuleInit(): void {
    const { caFile } = this.config.outgoing ?? {};
    if (caFile !== undefined) this.authorities = [...rootCertificates, ...authoritiesIn(caFile)];
  }

  async onApplicationShutdown(): Promise<void> {
    await (await this.agent)?.destroy();
    await (await this.internalAgent)?.destroy();
  }

  /**
   * Checks whether the address is allowed when a user provides it; each call checks again. Throws OutgoingError:
   * `invalid_url`, `address_not_allowed`, `name_not_found`.
   */
  async check(address: string): Promise<void> {
    const { hostname } = this.parse(address);
    const host = withoutBrackets(hostname);
    if (isIP(host) !== 0) this.assertAllowed([host]);
    else if (!this.config.webhookAllowPrivate) await this.allowedAddressesOf(host);
  }

  /** Throws OutgoingError if there is no answer; any status is an answer. */
  async request(asked: OutgoingRequest): Promise<OutgoingResponse> {
    const timeout = AbortSignal.timeout(asked.timeoutMs);
    const signal = asked.signal ? AbortSignal.any([timeout, asked.signal]) : timeout;
    // Without the address: those of webhooks may be as good as a password.
    return calls.run(asked.method, async () => {
      try {
        return await this.follow(asked, signal);
      } catch (error) {
        throw failureOf(error, timeout, asked);
      }
    });
  }

  private async follow(asked: OutgoingRequest, signal: AbortSignal): Promise<OutgoingResponse> {
    const { method, headers, body, bodyBytesMax, longBody = 'refuse', redirectsMax = 0, plainHttp } = asked;
    const { request } = await import('undici');
    const mayFollow = redirectsMax > 0 && (method === 'GET' || method === 'HEAD');
    const redirects: { status: number; url: string }[] = [];
    const traceparent = asked.isTraced === true ? presentTrace() : undefined;
    const traceHeaders = traceparent === undefined ? {} : { traceparent };
    let url = this.parse(asked.url, plainHttp);
    for (;;) {
      const dispatcher = await this.agentFor(url, asked);
      const response = await request(url, {
        dispatcher,
        method,
        headers: { 'accept-encoding': 'identity', ...(redirects.length === 0 && traceHeaders), ...headers },
        body: body ?? null,
        signal,
      });
      const next = mayFollow ? locationOf(response, url) : undefined;
      if (next === undefined) {
        const content = await readBody(response.body, bodyBytesMax, longBody);
        return { status: response.statusCode, headers: response.headers, body: content, redirects };
      }
      response.body.on('error', () => undefined).destroy();
      if (redirects.length >= redirectsMax) {
        throw new OutgoingError('too_many_redirects', `It redirects more than ${redirectsMax} times.`);
      }
      url = this.parse(next, plainHttp);
      redirects.push({ status: response.statusCode, url: url.href });
    }
  }

  /** The URL parser normalizes unusual spellings, such as 0x7f.1 for a host. */
  private parse(address: string, plainHttp = this.config.webhookAllowPrivate): URL {
    const url = address.length <= URL_LENGTH_MAX && URL.canParse(address) ? new URL(address) : undefined;
    const schemes = plainHttp ? ['https:', 'http:'] : ['https:'];
    if (url === undefined || !schemes.includes(url.protocol)) {
      throw new OutgoingError('invalid_url', 'It must be a URL that begins with https://.');
    }
    if (url.username !== '' || url.password !== '') {
      throw new OutgoingError('invalid_url', 'It must have no user name and no password in it.');
    }
    return url;
  }

  /** Only the operator's list opens the way inside, and only to who may take it; each redirect is looked at anew. */
  private agentFor(
    { protocol, hostname, port }: URL,
    { isInternal = false }: OutgoingRequest,
  ): Promise<Agent> {
    const place = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
    if (isInternal && this.config.outgoing?.internalHosts.includes(place) === true)
      return (this.internalAgent ??= this.createAgent((connectorOf) => connectorOf(this.connectorOptions())));
    return (this.agent ??= this.createAgent((connectorOf) => this.guarded(connectorOf)));
  }

  private connectorOptions(): buildConnector.BuildOptions {
    const { authorities } = this;
    return {
      timeout: CONNECT_WITHIN_MS,
      allowH2: false,
      autoSelectFamily: true,
      ...(authorities && { ca: [...authorities] }),
    };
  }

  private async createAgent(
    connect: (connectorOf: typeof buildConnector) => buildConnector.connector,
  ): Promise<Agent> {
    const { Agent, buildConnector } = await import('undici');
    return new Agent({
      connect: connect(buildConnector),
      connections: CONNECTIONS_PER_ORIGIN_MAX,
      keepAliveTimeout: IDLE_CONNECTION_KEPT_MS,
      maxHeaderSize: HEADER_BYTES_MAX,
      allowH2: false,
    });
  }

  private guarded(connectorOf: typeof buildConnector): buildConnector.connector {
    // undici's connector; given an IP address, it resolves nothing.
    const connect = connectorOf({ ...this.connectorOptions(), lookup: this.guardedLookup });
    return (options, callback) => {
      const host = withoutBrackets(options.hostname);
      try {
        if (isIP(host) !== 0) this.assertAllowed([host]);
      } catch (error) {
        callback(error as OutgoingError, null);
        return;
      }
      connect(options, callback);
    };
  }

  private readonly guardedLookup: LookupFunction = (hostName, options, callback) => {
    this.allowedAddressesOf(hostName).then(
      (addresses) => {
        if (options.all) callback(null, [...addresses]);
        else callback(null, addresses[0]!.address, addresses[0]!.family);
      },
      (error: Error) => callback(error, ''),
    );
  };

  private async allowedAddressesOf(hostName: string): Promise<readonly LookupAddress[]> {
    const addresses = await this.names.addressesOf(hostName).catch((error: unknown) => {
      throw new OutgoingError('name_not_found', 'The name of its host could not be resolved.', {
        cause: error,
      });
    });
    this.assertAllowed(addresses.map(({ address }) => address));
    return addresses;
  }

  /** One non-public address among a name's addresses is enough to refuse the name. */
  private assertAllowed(addresses: readonly string[]): void {
    if (this.config.webhookAllowPrivate || addresses.every(isPublicAddress)) return;
    throw new OutgoingError('address_not_allowed', 'Its host is not on the public Internet.');
  }
}

function authoritiesIn(caFile: string): readonly string[] {
  try {
    const text = readFileSync(caFile, 'utf8');
    const authorities = text.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
    if (authorities.length === 0) throw new Error('it has no certificate in PEM');
    for (const each of authorities) new X509Certificate(each);
    return authorities;
  } catch (error) {
    const { message } = error as Error;
    throw new ConfigError('OUTGOING_CA_FILE', `cannot be used: ${message}.`);
  }
}

function withoutBrackets(hostName: string): string {
  return hostName.replace(/^\[(.*)\]$/, '$1');
}

function locationOf({ statusCode, headers }: Dispatcher.ResponseData, from: URL): string | undefined {
  const { location } = headers;
  if (!REDIRECTS.has(statusCode) || typeof location !== 'string') return undefined;
  return URL.canParse(location, from.href) ? new URL(location, from).href : location;
}

async function readBody(
  body: Dispatcher.ResponseData['body'],
  bytesMax: number,
  longBody: 'refuse' | 'cut',
): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  // Leaving the loop closes the connection, so the rest of a long body is not read.
  for await (const part of body as AsyncIterable<Buffer>) {
    parts.push(part);
    bytes += part.length;
    if (bytes <= bytesMax) continue;
    if (longBody === 'cut') break;
    throw new OutgoingError('body_too_large', `Its answer is longer than ${bytesMax} bytes.`);
  }
  return Buffer.concat(parts).subarray(0, bytesMax);
}

function failureOf(error: unknown, timeout: AbortSignal, asked: OutgoingRequest): OutgoingError {
  // A refused address surfaces as the error itself, or as the cause of a failed connection.
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof OutgoingError) return cause;
  }
  if (timeout.aborted) {
    return new OutgoingError('timed_out', `It did not answer within ${asked.timeoutMs / 1000} seconds.`);
  }
  if (asked.signal?.aborted) return new OutgoingError('cancelled', 'The call was cancelled.');
  const { code, message } = error as { code?: string; message?: string };
  return new OutgoingError('connection_failed', `No answer: ${code ?? message ?? 'unknown'}.`, {
    cause: error,
  });
}
