import type { SMTPTransportOptions } from 'nodemailer';
import { isLoopback } from '../config/address.js';

/** A server that says nothing holds a job up no longer than this. */
const CONNECTION_MS_MAX = 10_000;
const SILENCE_MS_MAX = 20_000;

/** How to reach the server of a valid `SMTP_URL`. A password goes over TLS alone, unless it stays on this machine. */
export function smtpOptionsOf(smtpUrl: string): SMTPTransportOptions {
  const { protocol, hostname, port, username, password } = new URL(smtpUrl);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const auth = { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  return {
    host,
    ...(port !== '' && { port: Number(port) }),
    secure: protocol === 'smtps:',
    ...(username !== '' && { auth, requireTLS: !isLoopback(host) }),
    dnsTimeout: CONNECTION_MS_MAX,
    connectionTimeout: CONNECTION_MS_MAX,
    greetingTimeout: CONNECTION_MS_MAX,
    socketTimeout: SILENCE_MS_MAX,
  };
}
