import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

const DEFAULT_URL = 'http://127.0.0.1:3000';
const CALL_MS_MAX = 30_000;

/** What `tradepost login` keeps, for its user alone. */
export interface LogIn {
  readonly url: string;
  readonly client_id: string;
  readonly client_secret: string;
}

/** What the service, or the way to it, has refused; the message is for whoever typed the command. */
export class ApiRefusal extends Error {
  override readonly name = 'ApiRefusal';
}

/** Calls of a service by HTTP, as the client that has logged in, where one has. */
export class ApiCalls {
  private token: string | undefined;

  private constructor(
    readonly url: string,
    private readonly logIn: LogIn | null,
  ) {}

  /** For the service at `url`, else that of the log-in: a log-in counts for its own service alone. */
  static async open(url?: string): Promise<ApiCalls> {
    const logIn = await keptLogIn();
    const base = (url ?? logIn?.url ?? DEFAULT_URL).replace(/\/+$/, '');
    return new ApiCalls(base, logIn?.url === base ? logIn : null);
  }

  static by(logIn: LogIn): ApiCalls {
    return new ApiCalls(logIn.url, logIn);
  }

  get<Answer>(path: string, query = new URLSearchParams()): Promise<Answer> {
    return this.call('GET', `${path}?${query.toString()}`, undefined);
  }

  post<Answer>(path: string, body?: object, idempotencyKey?: string): Promise<Answer> {
    return this.call('POST', path, body, idempotencyKey);
  }

  delete(path: string): Promise<void> {
    return this.call('DELETE', path, undefined);
  }

  /** Throws an ApiRefusal where the service does not take the client. */
  async prove(): Promise<void> {
    const { client_id: id, client_secret: secret } = this.logIn!;
    const credential = Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString(
      'base64',
    );
    const answer = await this.fetch('/oauth/token', {
      method: 'POST',
      headers: { authorization: `Basic ${credential}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    const { access_token: token, error_description: problem } = (await answer.json()) as Record<
      string,
      string
    >;
    if (token === undefined) throw new ApiRefusal(problem ?? `${this.url} takes no such client.`);
    this.token = token;
  }

  private async call<Answer>(
    method: string,
    path: string,
    body: object | undefined,
    idempotencyKey?: string,
  ): Promise<Answer> {
    if (this.logIn !== null && this.token === undefined) await this.prove();
    const ask = (): Promise<Response> =>
      this.fetch(path, {
        method,
        headers: {
          accept: 'application/json',
          ...(this.token !== undefined && { authorization: `Bearer ${this.token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    let answer = await ask();
    if (answer.status === 401 && this.logIn !== null) {
      // The token of a command that runs for long has expired.
      await this.prove();
      answer = await ask();
    }
    const text = await answer.text();
    if (!answer.ok) throw new ApiRefusal(refusalIn(text, answer.status, this.logIn === null));
    return (text === '' ? undefined : JSON.parse(text)) as Answer;
  }

  private async fetch(path: string, init: RequestInit): Promise<Response> {
    try {
      return await fetch(`${this.url}${path}`, { ...init, signal: AbortSignal.timeout(CALL_MS_MAX) });
    } catch (error) {
      const { cause } = error as { readonly cause?: { readonly code?: string; readonly message?: string } };
      const why = cause?.code ?? cause?.message ?? (error as Error).message;
      throw new ApiRefusal(`${this.url} does not answer (${why}). Is the service running? See --url.`, {
        cause: error,
      });
    }
  }
}

export async function keepLogIn(logIn: LogIn): Promise<string> {
  const path = logInPath();
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // A file that is there keeps its mode, whoever may read it.
  await rm(path, { force: true });
  await writeFile(path, `${JSON.stringify(logIn, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  return path;
}

async function keptLogIn(): Promise<LogIn | null> {
  try {
    return JSON.parse(await readFile(logInPath(), 'utf8')) as LogIn;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new ApiRefusal(`${logInPath()} cannot be read; run tradepost login again.`, { cause: error });
  }
}

function logInPath(): string {
  return join(homedir(), '.config', 'tradepost', 'login.json');
}

function refusalIn(text: string, status: number, isAnonymous: boolean): string {
  const hint = status === 401 && isAnonymous ? ' Run tradepost login first.' : '';
  try {
    const { error } = JSON.parse(text) as {
      error: { code: string; message: string; details?: readonly { message: string }[] };
    };
    const details = error.details?.map(({ message }) => message).join('; ');
    return `${error.code}: ${details ?? error.message}${hint}`;
  } catch {
    return `The service answered ${status}.${hint}`;
  }
}
