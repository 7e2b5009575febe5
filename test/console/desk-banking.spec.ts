import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../../scripts/support/browser.js';
import { accountOf, fund, OPERATORS, userMadeBy } from '../e2e/admin/approvals-client.js';
import { approvedKyc, submitKyc } from '../support/clients/kyc-client.js';
import {
  addIban,
  BANKS,
  holdFiles,
  pain002,
  payOut,
  readPain001,
} from '../support/clients/payouts-client.js';
import { logIn, type UserCaller } from '../support/clients/users-client.js';
import type { ConsoleWindow } from './console-browser.js';
import { ConsoleWorld, expectReadable } from './console-world.js';

let world: ConsoleWorld;
let first: UserCaller;
let second: UserCaller;
let third: UserCaller;
let alice: UserCaller;
let iban: string;

const openKyc = (part = ''): Promise<ConsoleWindow> =>
  world.openAs('first', part === '' ? 'desk/kyc' : `desk/kyc/${part}`, 'Identities');
const openPayouts = (part = ''): Promise<ConsoleWindow> =>
  world.openAs('first', part === '' ? 'desk/payouts' : `desk/payouts/${part}`, 'Payouts');

const form = ({ page }: ConsoleWindow, name: string) => page.getByRole('form', { name });

async function addPhoto(caller: UserCaller, kycId: string): Promise<void> {
  const picture = await sharp({ create: { width: 320, height: 200, channels: 3, background: 'teal' } })
    .png()
    .toBuffer();
  const { status } = await caller.send('POST', `/kyc/${kycId}/images`, new Uint8Array(picture), {
    'content-type': 'application/octet-stream',
  });
  expect(status).toBe(201);
}

async function statusOf(payoutId: string): Promise<string> {
  return (await alice.get(`/payouts/${payoutId}`)).body.status;
}

describe.runIf(hasBrowser)('the desk’s banking', () => {
  beforeAll(async () => {
    world = await ConsoleWorld.start({
      fourEyes: true,
      seedDemo: false,
      bootstrapAdmins: OPERATORS.map((username) => ({ username, password: `${username}-password` })),
      environment: { ...BANKS, PAYOUT_APPROVAL_ABOVE: 'EUR:100' },
    });
    await holdFiles(world.app);
    first = await logIn(world.app, 'first');
    second = await logIn(world.app, 'second');
    third = await logIn(world.app, 'third');
    expect((await first.post('/admin/assets', { code: 'EUR', scale: 2 })).status).toBe(201);
    alice = await userMadeBy(world.app, third, 'alice');
    await approvedKyc(alice, first);
    await fund([first, second], await accountOf(alice), '10000', 'EUR');
    iban = await addIban(alice);
  });
  afterEach(() => world.closeWindows());
  afterAll(() => world?.close());

  it('shows a case with its checks and photos side by side, and records each look', async () => {
    const bob = await userMadeBy(world.app, third, 'bob');
    const { kyc_id: kycId } = await submitKyc(bob, { last_name: 'Erikson' });
    await addPhoto(bob, kycId);
    const window = await openKyc();
    const { page } = window;
    const { body: kycCase } = await first.get(`/admin/kyc/${kycId}`);
    const row = page.getByRole('row').filter({ hasText: kycCase.owner });
    expect(await row.textContent()).not.toContain('Erikson');
    await row.getByRole('link').click();
    await page.getByRole('row').filter({ hasText: 'Lines: name' }).getByText('To be looked at').waitFor();
    expect(await page.getByText('Anna Maria Erikson').count()).toBe(0);
    await window.button('Show: Front of the document').click();
    const photo = page.getByRole('img', { name: 'Front of the document' });
    await photo.waitFor();
    await expect
      .poll(() => photo.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth))
      .toBe(320);
    await window.confirm('Show the personal data');
    await page.getByText('Anna Maria Erikson').waitFor();
    await page.getByText('P<PRTERIKSSON<<ANNA<MARIA').waitFor();
    expect((await first.get(`/admin/kyc/${kycId}`)).body.views).toBe(2);
    await expectReadable(window, 'desk identity');

    const decide = form(window, 'Decide');
    await decide.getByRole('button', { name: 'Approve' }).click();
    await decide.locator('.field').filter({ hasText: 'Reason' }).getByRole('alert').waitFor();
    await decide.getByLabel('Decision').selectOption('Reject');
    await decide.getByLabel('Reason').fill('The names differ.');
    await page.keyboard.press('Enter');
    await page.getByText('Rejected').first().waitFor();
    expect((await bob.get(`/kyc/${kycId}`)).body).toMatchObject({ status: 'rejected' });
  });

  it('approves level 1 at once, and proposes a higher one to another operator', async () => {
    const carol = await userMadeBy(world.app, third, 'carol');
    const { kyc_id: kycId } = await submitKyc(carol);
    const window = await openKyc(kycId);
    const decide = form(window, 'Decide');
    await decide.getByLabel('Level').selectOption('3');
    await decide.getByLabel('Reason').fill('All agrees.');
    await window.page.keyboard.press('Enter');
    await decide.getByText('It is proposed').waitFor();
    expect((await carol.get(`/kyc/${kycId}`)).body.status).toBe('in_review');
    await decide.getByLabel('Level').selectOption('1');
    await decide.getByLabel('Reason').fill('All agrees.');
    await window.page.keyboard.press('Enter');
    await window.page.getByText('Approved', { exact: true }).first().waitFor();
    expect((await carol.get(`/kyc/${kycId}`)).body).toMatchObject({ status: 'approved', level: 1 });
  });

  it('approves and rejects payouts above the threshold', async () => {
    const large = await payOut(alice, iban, '150');
    const other = await payOut(alice, iban, '175.50');
    expect(large.status).toBe('pending_approval');
    const window = await openPayouts();
    const { page } = window;
    await window.field('State').selectOption('Waits for approval');
    await window.confirm('Approve: 150 EUR');
    await page.getByRole('row').filter({ hasText: '150 EUR' }).waitFor({ state: 'detached' });
    expect(await statusOf(large.payout_id)).toBe('pending');
    await window.button('Reject: 175.5 EUR').click();
    const dialog = page.getByRole('dialog');
    await dialog.locator('form').getByRole('button').click();
    await dialog.locator('.field').getByRole('alert').waitFor();
    await dialog.getByLabel('Reason').fill('<script>The account is not yours.</script>');
    await page.keyboard.press('Enter');
    await page.getByText('There are no such payouts.').waitFor();
    expect(await statusOf(other.payout_id)).toBe('failed');
  });

  it('makes a file, hands it over, and reads what the bank says of it', async () => {
    const good = await payOut(alice, iban, '12');
    const bad = await payOut(alice, iban, '13');
    for (const { payout_id: id } of [good, bad]) {
      expect((await second.post(`/admin/payouts/${id}/approve`, {})).status).toBe(200);
    }
    const window = await openPayouts('files');
    const { page } = window;
    const make = form(window, 'Make files now');
    await make.getByLabel('Rail').fill('carrier-pigeon');
    await page.keyboard.press('Enter');
    await make.getByRole('alert').first().waitFor();
    await make.getByLabel('Rail').fill('sepa');
    await page.keyboard.press('Enter');
    await make.getByText('1 file is made.').waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Fetch' }).first().click();
    const content = await readFile(await (await download).path(), 'utf8');
    const { GrpHdr: header } = readPain001(content);
    const name = (await first.get('/admin/payout-files')).body.data[0].name as string;
    await window.confirm(`The bank has it: ${name}`);
    await window.button(`The bank has it: ${name}`).waitFor({ state: 'detached' });
    expect(await statusOf(good.payout_id)).toBe('in_transit');

    const upload = form(window, 'Upload a report of the bank');
    await upload.getByRole('button', { name: 'Upload' }).click();
    await upload.getByText('Choose a file first.').waitFor();
    const choose = (text: string): Promise<void> =>
      upload
        .getByLabel('File of the bank')
        .setInputFiles({ name: 'report.xml', mimeType: 'application/xml', buffer: Buffer.from(text) });
    await choose('<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>');
    await upload.getByRole('button', { name: 'Upload' }).click();
    await upload.getByRole('alert').first().waitFor();
    const idOf = (payoutId: string): string => endToEndIdOf(content, payoutId);
    await choose(
      pain002(header.MsgId, [
        { id: idOf(good.payout_id), status: 'ACSC' },
        { id: idOf(bad.payout_id), status: 'RJCT', code: 'AC04' },
      ]),
    );
    await upload.getByRole('button', { name: 'Upload' }).click();
    await page.getByRole('row').filter({ hasText: bad.payout_id }).getByText('Failed').waitFor();
    await page.getByRole('row').filter({ hasText: good.payout_id }).getByText('Applied').waitFor();
    expect(await statusOf(good.payout_id)).toBe('paid');
    expect(await statusOf(bad.payout_id)).toBe('failed');
    await expectReadable(window, 'desk payout files');

    await window.goTo('desk/payouts');
    await page.getByRole('button', { name: 'Report: 12 EUR' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Code of the bank (may stay empty)').fill('no code!');
    await dialog.locator('form').getByRole('button').click();
    await dialog.locator('.field').filter({ hasText: 'Code' }).getByRole('alert').waitFor();
    await dialog.getByLabel('Code of the bank (may stay empty)').fill('AC06');
    await page.keyboard.press('Enter');
    await page.getByRole('row').filter({ hasText: '12 EUR' }).getByText('Returned').waitFor();
    expect(await statusOf(good.payout_id)).toBe('returned');
  });

  it('is readable for everybody, and says that no list of sanctions is loaded', async () => {
    const window = await openKyc();
    await window.page.getByText('No list is loaded.').waitFor();
    await window.field('State').selectOption('All');
    await window.page.getByRole('row').filter({ hasText: 'Approved' }).first().waitFor();
    await expectReadable(window, 'desk identities');
    await window.goTo('desk/payouts');
    await window.page.getByRole('row').filter({ hasText: '13 EUR' }).waitFor();
    await expectReadable(window, 'desk payouts');
  });
});

/** What the payment of a payout is called between the banks. */
function endToEndIdOf(content: string, payoutId: string): string {
  const ids = [...content.matchAll(/<EndToEndId>([^<]+)</g)].map(([, id]) => id!);
  return ids.find((id) => id.includes(payoutId.replace(/^pay_/, ''))) ?? payoutId;
}
