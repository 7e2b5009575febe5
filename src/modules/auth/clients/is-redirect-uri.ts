import { ValidateBy, buildMessage, type ValidationOptions } from 'class-validator';

const LENGTH_MAX = 2_000;

/** Hosts on which only the user's own machine listens (RFC 8252, 7.3). */
const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

/**
 * Whether codes and tokens may be sent to this address: https, or http on the user's own machine. It must be
 * unambiguous to all parsers: in a browser's normalized form, without user, fragment or `*`.
 */
export function isRedirectUri(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > LENGTH_MAX || !URL.canParse(value)) return false;
  if (/[#*@]/.test(value)) return false;
  const { href, protocol, hostname, pathname, search } = new URL(value);
  const isCanonical = href === value || (pathname === '/' && search === '' && href === `${value}/`);
  return isCanonical && (protocol === 'https:' || (protocol === 'http:' && LOOPBACK_HOSTS.has(hostname)));
}

/** Validates a field by `isRedirectUri`. */
export function IsRedirectUri(options: ValidationOptions = {}): PropertyDecorator {
  return ValidateBy(
    {
      name: 'isRedirectUri',
      validator: {
        validate: isRedirectUri,
        defaultMessage: buildMessage(
          (eachPrefix) =>
            `${eachPrefix}$property must be an https address, or http on a loopback address, as a browser writes it, without user, fragment or wildcard`,
          options,
        ),
      },
    },
    options,
  );
}
