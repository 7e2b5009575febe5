import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HostNames } from './host-names.js';
import { OutgoingHttp, type OutgoingRequest } from './outgoing-http.js';

describe.skipIf(!hasOpenssl())('certificate authorities', () => {
  let folder: string;
  const open: OutgoingHttp[] = [];
  let secure: ReturnType<typeof createSecureServer>;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tradepost-ca-'));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    execFileSync(
      'openssl',
      `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout ${key} -out ${cert}`.split(
        ' ',
      ),
      { stdio: 'ignore' },
    );
    secure = createSecureServer(
      { key: await readFile(key), cert: await readFile(cert) },
      (_request, response) => response.end('secure'),
    );
    secure.listen(0, 'localhost');
    await once(secure, 'listening');
  });
  afterEach(async () => {
    for (const http of open.splice(0)) await http.onApplicationShutdown();
    secure.closeAllConnections();
    secure.close();
    await rm(folder, { recursive: true, force: true });
  });
  const trusting = (caFile: string | undefined): OutgoingHttp => {
    const { port: securePort } = secure.address() as AddressInfo;
    const outgoing = { internalHosts: [`localhost:${securePort}`], caFile };
    const http = new OutgoingHttp(new HostNames({ webhookAllowPrivate: false }), {
      webhookAllowPrivate: false,
      outgoing,
    });
    http.onModuleInit();
    open.push(http);
    return http;
  };
  const asked = (): OutgoingRequest => ({
    method: 'GET',
    timeoutMs: 5_000,
    bodyBytesMax: 1_000,
    url: `https://localhost:${(secure.address() as AddressInfo).port}/`,
    isInternal: true,
  });

  it('are trusted where the operator names them, and else not', async () => {
    await expect(trusting(undefined).request(asked())).rejects.toMatchObject({ code: 'connection_failed' });
    const { body } = await trusting(join(folder, 'cert.pem')).request(asked());
    expect(body.toString()).toBe('secure');
  });

  it('that cannot be read refuse the start with the name of the setting', async () => {
    const empty = join(folder, 'empty.pem');
    await writeFile(empty, 'nothing');
    expect(() => trusting(empty)).toThrow(/^OUTGOING_CA_FILE cannot be used: it has no certificate in PEM/);
    expect(() => trusting(join(folder, 'missing.pem'))).toThrow(/^OUTGOING_CA_FILE cannot be used: ENOENT/);
  });
});

function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
