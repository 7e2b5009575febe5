import Bowser from 'bowser';
import type { Request } from 'express';

/** Where a log-in comes from, as its user is told. Nothing is decided by it: a client can say anything. */
export interface SessionOrigin {
  readonly device: string;
  readonly address: string;
}

const DEVICE_LENGTH_MAX = 100;
const UNKNOWN = 'an unknown program';

export function sessionOriginOf(request: Request): SessionOrigin {
  return { device: deviceOf(request.headers['user-agent']), address: request.ip ?? '' };
}

/** `Firefox on Windows` for browsers, and for programs the name that they give themselves. */
export function deviceOf(userAgent: string | undefined): string {
  const text = (userAgent ?? '').replaceAll(/[^\x20-\x7e]/g, '').trim();
  if (text === '') return UNKNOWN;
  const { browser, os } = Bowser.parse(text);
  const names = [browser.name, os.name].filter((name) => name !== undefined && name !== '');
  const device = names.length === 2 ? names.join(' on ') : text.split(/[\s/(]/, 1)[0]!;
  return device.slice(0, DEVICE_LENGTH_MAX) || UNKNOWN;
}
