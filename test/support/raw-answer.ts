import { request } from 'node:http';

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
}

/** The raw response, from a client that does not decompress and sends no headers of its own. */
export function rawAnswer(
  url: string,
  headers: Record<string, string | string[]> = {},
  method = 'GET',
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, bytes: Buffer.concat(chunks) }),
      );
    });
    // A declared but missing body would swallow the start of the next request.
    sent.on('error', reject).end('x'.repeat(Number(headers['content-length'] ?? 0)));
  });
}
