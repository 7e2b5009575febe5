/**
 * Who is logged in: by an authorization code with PKCE, as any other client would. Tokens live in memory alone. A page
 * that is loaded again asks for new ones without a log-in, as long as the browser is logged in at the service.
 */
import { authorizationCode, type components, TradepostClient, TradepostError } from '@tradepost/client';
import { baseUrl, currentPath, replacePath, serviceUrl, toldByService } from './router.jsx';
import { Store } from './store.js';

export type User = components['schemas']['UserInfo'];

export interface Session {
  readonly client: TradepostClient;
  /** Null for who is not logged in. */
  readonly user: User | null;
  /** What is to be told of the last session: it ended without the user's wish, or the service knows of no wish. */
  readonly ended: 'expired' | 'untold' | null;
}

const CLIENT_ID = 'console';
const PENDING = 'tradepost.authorization';
/** Says only that asking without a log-in page is worth a try. */
const WAS_LOGGED_IN = 'tradepost.was-logged-in';

interface Pending {
  readonly state: string;
  readonly codeVerifier: string;
  readonly path: string;
}

const anonymous = (ended: Session['ended'] = null): Session => ({
  client: new TradepostClient({ url: serviceUrl() }),
  user: null,
  ended,
});

export const session = new Store<Session>(anonymous());

/** Whether an account may take demo money here. */
export const hasDemoMoney = toldByService('demo-money') === 'true';

/** A role of operators, whose scope is `operator:<role>`; `admin` means all of them. */
export type Role = 'support' | 'compliance' | 'finance' | 'markets' | 'content' | 'security' | 'read';

/** Whether the user is an operator; with `roles`, in one of these. */
export function isOperator(user: User | null, roles?: readonly Role[]): boolean {
  const scopes = user?.scope.split(' ') ?? [];
  if (scopes.includes('admin')) return true;
  if (roles === undefined) return scopes.some((scope) => scope.startsWith('operator:'));
  return roles.some((role) => scopes.includes(`operator:${role}`));
}

/** Comes back from the log-in, or sees whether the browser is still logged in. Answers false where the page is left. */
export async function begin(): Promise<boolean> {
  if (currentPath() === 'callback') {
    await finish(new URLSearchParams(location.search));
    return true;
  }
  if (localStorage.getItem(WAS_LOGGED_IN) === null) return true;
  await authorize({ prompt: 'none' });
  return false;
}

/** A log-out that the service has not answered yet. */
let ending: Promise<unknown> = Promise.resolve();

/** Leaves for the log-in page, which sends the browser back to where it is now. */
export async function logIn(): Promise<void> {
  // Before, the service would still know the browser and let anybody in without a password.
  await ending;
  await authorize({});
}

/** The same for who is logged in, and has no other proof to be there: what the page holds is lost. */
export async function logInAgain(): Promise<void> {
  await authorize({ prompt: 'login' });
}

export async function logOut(): Promise<void> {
  const { client } = session.value;
  localStorage.removeItem(WAS_LOGGED_IN);
  session.set(anonymous());
  ending = client.get('/user/logout').catch((error: unknown) => {
    // Who is not known any more has no session left to end.
    if (!isOver(error)) session.set(anonymous('untold'));
  });
  await ending;
}

/** Ends the session where the service no longer takes its credential. */
export function noteFailure(error: unknown): void {
  if (session.value.user !== null && isOver(error)) session.set(anonymous('expired'));
}

function isOver(error: unknown): boolean {
  const codes = ['invalid_token', 'invalid_grant', 'authentication_required'];
  return error instanceof TradepostError && codes.includes(error.code);
}

async function authorize(more: Readonly<Record<string, string>>): Promise<void> {
  const codeVerifier = randomText();
  const pending: Pending = { state: randomText(), codeVerifier, path: currentPath() };
  // Until the browser is back; neither is of use to anybody without the code.
  sessionStorage.setItem(PENDING, JSON.stringify(pending));
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(codeVerifier));
  const address = new URL('oauth/authorize', serviceUrl());
  address.search = new URLSearchParams({
    response_type: 'code',
    client_id: CLIENT_ID,
    redirect_uri: redirectUri(),
    state: pending.state,
    code_challenge: base64Url(new Uint8Array(digest)),
    code_challenge_method: 'S256',
    ...more,
  }).toString();
  location.replace(address);
}

async function finish(answer: URLSearchParams): Promise<void> {
  const text = sessionStorage.getItem(PENDING);
  sessionStorage.removeItem(PENDING);
  const pending = text === null ? null : (JSON.parse(text) as Pending);
  replacePath(pending?.path ?? '');
  const code = answer.get('code');
  // An answer that nobody here asked for is not to be trusted.
  if (pending === null || code === null || answer.get('state') !== pending.state) {
    localStorage.removeItem(WAS_LOGGED_IN);
    return;
  }
  const credentials = authorizationCode({
    clientId: CLIENT_ID,
    code,
    codeVerifier: pending.codeVerifier,
    redirectUri: redirectUri(),
  });
  const client = new TradepostClient({ url: serviceUrl(), credentials });
  try {
    session.set({ client, user: await client.get('/oauth/userinfo'), ended: null });
    localStorage.setItem(WAS_LOGGED_IN, 'yes');
  } catch {
    localStorage.removeItem(WAS_LOGGED_IN);
    session.set(anonymous('expired'));
  }
}

function redirectUri(): string {
  return new URL('callback', baseUrl()).href;
}

function randomText(): string {
  return base64Url(crypto.getRandomValues(new Uint8Array(32)));
}

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
