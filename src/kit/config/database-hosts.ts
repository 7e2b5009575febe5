import type { Reader } from './readers.js';

/** One of the servers in a database URL. */
export interface DatabaseHost {
  /** Such as `db1:5432`; never a password. */
  readonly name: string;
  /** Its own address, which pg, TypeORM and libpq understand. Contains the password. */
  readonly url: string;
}

const DEFAULT_PORT = '5432';
/** Scheme, user and password with their @, hosts, path, query. */
const PARTS = /^(postgres(?:ql)?:\/\/)((?:[^/?#]*@)?)([^@/?#]*)([^?#]*)(?:\?([^#]*))?$/;
/** Of one host: a name, an address (in brackets where it is IPv6) or a folder, and perhaps a port. */
const HOST = /^(\[[^\]]+\]|[^:[\]]*)(?::(\d{1,5}))?$/;

/**
 * The servers that an address names, as libpq writes several: `host1:5432,host2:5433`, or the parameters `host` and
 * `port` with a comma between their values.
 * @returns one where the address is an ordinary one, which is then left as it is; undefined where it cannot be read
 */
export function databaseHosts(url: string): readonly DatabaseHost[] | undefined {
  const [, scheme, user, authority, path, query] = PARTS.exec(url) ?? [];
  if (scheme === undefined) return undefined;
  const parameters = new URLSearchParams(query);
  const named = parameters.get('host');
  const parts = (named ?? authority!).split(',');
  const ports = parameters.get('port')?.split(',') ?? [];
  if (ports.length > 1 && ports.length !== parts.length) return undefined;
  if (parts.length === 1) return [{ name: nameOf(parts[0]!, ports[0], named !== null), url }];
  parameters.delete('host');
  parameters.delete('port');
  parameters.delete('target_session_attrs');
  const hosts = parts.map((part, index): DatabaseHost | undefined => {
    const port = ports[index] ?? ports[0];
    if (named !== null) {
      const own = new URLSearchParams([...parameters, ['host', part], ['port', port ?? DEFAULT_PORT]]);
      const name = nameOf(part, port, true);
      return part === '' ? undefined : { name, url: `${scheme}${user}localhost${path}?${own.toString()}` };
    }
    const [, host = '', ownPort] = HOST.exec(part) ?? [];
    if (host === '' || Number(ownPort ?? 1) > 65_535) return undefined;
    const address = `${host}:${ownPort ?? port ?? DEFAULT_PORT}`;
    const rest = parameters.toString();
    const own = `${scheme}${user}${address}${path}${rest === '' ? '' : `?${rest}`}`;
    return { name: nameOf(address, undefined, false), url: own };
  });
  return hosts.every((host) => host !== undefined) ? hosts : undefined;
}

/** Whether connections of this URL must reach a writable server: always if it names several. */
export function asksForPrimary(url: string): boolean {
  const hosts = databaseHosts(url) ?? [];
  return hosts.length > 1 || sessionAttributesOf(url) === 'read-write';
}

export const databaseUrl = addressReader('read-write');

/** For servers that are only read. */
export const databaseReadUrl = addressReader('standby');

function addressReader(sessionAttributes: string): Reader<string> {
  return {
    expects: `an address such as postgresql://user:password@host:5432/database, with several hosts as host1:5432,host2:5432, and target_session_attrs=${sessionAttributes} or none`,
    parse: (value) => {
      if (!/^postgres(ql)?:\/\/\S+$/.test(value)) return undefined;
      if (![null, sessionAttributes].includes(sessionAttributesOf(value))) return undefined;
      return databaseHosts(value) === undefined ? undefined : value;
    },
  };
}

function sessionAttributesOf(url: string): string | null {
  return new URLSearchParams(url.split('?')[1]).get('target_session_attrs');
}

function nameOf(host: string, port: string | undefined, isPlain: boolean): string {
  const name = isPlain ? host : decoded(host);
  return port === undefined ? name : `${name}:${port}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
