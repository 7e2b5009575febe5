import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../../scripts/support/browser.js';
import { approvedKyc, kycBody } from '../support/clients/kyc-client.js';
import { addUsAccount, BANKS, holdFiles, HOLDER, IBAN } from '../support/clients/payouts-client.js';
import { clientOf, logIn, type UserCaller } from '../support/clients/users-client.js';
import type { Caller } from '../support/caller.js';
import type { ConsoleWindow } from './console-browser.js';
import { ConsoleWorld, expectReadable } from './console-world.js';

let world: ConsoleWorld;
let alice: UserCaller;
let operator: Caller;

const open = (part = ''): Promise<ConsoleWindow> =>
  world.openAs('alice', part === '' ? 'banking' : `banking/${part}`, 'Banking');

const form = ({ page }: ConsoleWindow, name: string) => page.getByRole('form', { name });

async function available(): Promise<string> {
  const { body } = await alice.get('/accounts/me/balances');
  return body.data.find(({ asset }: { asset: string }) => asset === 'USD').available;
}

describe.runIf(hasBrowser)('banking', () => {
  beforeAll(async () => {
    world = await ConsoleWorld.start({ environment: BANKS });
    await holdFiles(world.app);
    alice = await logIn(world.app, 'alice');
    operator = await clientOf(world.app, 'admin');
    expect((await alice.post('/demo/deposits', {})).status).toBeLessThan(300);
  });
  afterEach(() => world.closeWindows());
  afterAll(() => world?.close());

  it('ask who one is, step by step, and say beside each field what is wrong', async () => {
    const window = await open();
    const { page } = window;
    const who = form(window, 'Say who you are');
    const enter = async (values: Readonly<Record<string, string>>): Promise<void> => {
      for (const [label, value] of Object.entries(values)) {
        await who.getByLabel(label, { exact: true }).fill(value);
      }
      await page.keyboard.press('Enter');
    };
    const body = kycBody();
    await who.getByRole('button', { name: 'Next' }).click();
    expect(await who.getByText('Fill this in.').count()).toBe(4);
    await enter({
      'First names': body.first_name,
      'Last name': body.last_name,
      'Date of birth': body.date_of_birth,
      Nationality: 'zz',
    });
    await page.getByText('Step 2 of 3: Where you live').waitFor();
    await enter({
      'Street and number': body.address.line1,
      Town: '<img src=x onerror=alert(1)>',
      'Postal code': body.address.postal_code,
      Country: 'pt',
    });
    await page.getByText('Step 3 of 3: Your document').waitFor();
    const { document } = body;
    await who.getByLabel('Machine-readable lines').fill(document.mrz.join('\n'));
    await enter({ Number: 'X0000000', 'Issued by': 'pt', 'Valid until': '2001-02-03' });
    // The service does not know the country of step 1.
    await page.getByText('Step 1 of 3: You').waitFor();
    await who.locator('.field').filter({ hasText: 'Nationality' }).getByRole('alert').waitFor();
    await enter({ Nationality: 'pt' });
    await page.getByText('Step 2 of 3: Where you live').waitFor();
    await enter({ Town: 'Lisboa' });
    await page.getByText('Step 3 of 3: Your document').waitFor();
    await who.getByRole('button', { name: 'Send' }).click();
    await who.locator('.field').filter({ hasText: 'Valid until' }).getByRole('alert').waitFor();
    await enter({ 'Valid until': document.expires_on, Number: document.number });
    await page.getByText('Waits for an operator').first().waitFor();
    const { body: cases } = await alice.get('/kyc');
    expect(cases.data[0]).toMatchObject({ status: 'in_review', person: { document_type: 'passport' } });
  });

  it('take photos of the document, look at them first, and refuse what is none', async () => {
    const window = await open();
    const { page } = window;
    const photos = form(window, 'Photos');
    await photos.getByRole('button', { name: 'Upload' }).click();
    await photos.getByText('Choose a file first.').waitFor();
    const choose = (name: string, buffer: Buffer): Promise<void> =>
      photos.getByLabel('Photo').setInputFiles({ name, mimeType: 'image/png', buffer });
    await choose('virus.png', Buffer.from('<svg onload="alert(1)"/>'));
    await photos.getByRole('button', { name: 'Upload' }).click();
    await photos.locator('.field').filter({ hasText: 'Photo' }).getByRole('alert').waitFor();
    const image = sharp({ create: { width: 300, height: 200, channels: 3, background: 'teal' } });
    await choose('back.png', await image.png().toBuffer());
    await photos.getByLabel('What it shows').selectOption('Back of the document');
    await page.getByRole('img', { name: 'The photo that you chose' }).waitFor();
    await photos.getByRole('button', { name: 'Upload' }).click();
    await photos.getByText(/^Back of the document: \d+ KB are kept\.$/).waitFor();
    const { body } = await operator.get('/admin/kyc');
    const { body: seen } = await operator.get(`/admin/kyc/${body.data[0].kyc_id}`);
    expect(seen.images).toMatchObject([{ side: 'back', media_type: 'image/png' }]);

    const decision = { decision: 'approved', reason: 'Document and data agree.' };
    const path = `/admin/kyc/${body.data[0].kyc_id}/decision`;
    expect((await operator.post(path, decision)).status).toBe(200);
    await page.getByText('Approved').first().waitFor();
    await page.getByRole('cell', { name: 'Document and data agree.' }).waitFor();
    expect(await photos.count()).toBe(0);
  });

  it('add a bank account, refuse one that cannot exist, and delete it', async () => {
    const window = await open('accounts');
    const { page } = window;
    const add = form(window, 'Add a bank account');
    await add.getByLabel('Holder').fill(HOLDER);
    await add.getByLabel('IBAN', { exact: true }).fill(IBAN.replace(/0$/, '1'));
    await page.keyboard.press('Enter');
    await add.locator('.field').filter({ hasText: 'IBAN' }).getByRole('alert').waitFor();
    await add.getByLabel('IBAN', { exact: true }).fill('DE89 3704 0044 0532 0130 00');
    await page.keyboard.press('Enter');
    await add.getByText('The account is added.').waitFor();
    const row = page.getByRole('row').filter({ hasText: '…3000' });
    await row.waitFor();
    expect(await row.textContent()).toContain('As in your identity');
    expect(await page.content()).not.toContain(IBAN.slice(4, 18));

    await add.getByLabel('Kind').selectOption('United States (ACH, USD)');
    await add.getByLabel('Holder').fill(HOLDER);
    await add.getByLabel('Routing number').fill('021000020');
    await add.getByLabel('Account number').fill('000123456789');
    await page.keyboard.press('Enter');
    await add.locator('.field').filter({ hasText: 'Routing number' }).getByRole('alert').waitFor();

    await window.confirm('Delete: …3000');
    await row.waitFor({ state: 'detached' });
    expect((await alice.get('/payout-accounts')).body.data).toEqual([]);
  });

  it('pay out once what was looked at, follow the payout, and cancel it', async () => {
    await approvedKyc(alice, operator);
    await addUsAccount(alice);
    const before = await available();
    const window = await open('payouts');
    const { page } = window;
    const pay = form(window, 'Pay out');
    await pay.getByLabel('Amount').fill('1.001');
    await pay.getByRole('button', { name: 'Check' }).click();
    await pay.getByRole('button', { name: 'Pay out now' }).click();
    await pay.getByText('USD is paid out with 2 decimals.').waitFor();
    await pay.getByLabel('Amount').fill('9999');
    await pay.getByLabel('Reference (may stay empty)').fill('x'.repeat(141));
    await pay.getByRole('button', { name: 'Check' }).click();
    await pay.getByRole('button', { name: 'Pay out now' }).click();
    await pay.locator('.field').filter({ hasText: 'Reference' }).getByRole('alert').waitFor();
    await pay.getByLabel('Amount').fill('9999999');
    await pay.getByLabel('Reference (may stay empty)').fill('');
    await pay.getByRole('button', { name: 'Check' }).click();
    await pay.getByRole('button', { name: 'Pay out now' }).click();
    await pay
      .getByText(/more than|at most|limit/)
      .first()
      .waitFor();
    expect(await available()).toBe(before);

    await pay.getByLabel('Amount').fill('12,5');
    await pay.getByLabel('Reference (may stay empty)').fill('Rent of May');
    await pay.getByRole('button', { name: 'Check' }).click();
    await pay.getByText(/^12\.5 USD will be paid to .*…6789 \(USD\)\.$/).waitFor();
    expect(await available()).toBe(before);
    let attempts = 0;
    await page.route(
      (url) => url.pathname === '/payouts',
      async (route) => {
        // The answer to the first is lost, and the client asks again.
        if (route.request().method() !== 'POST' || ++attempts > 1) return route.continue();
        await route.fetch();
        return route.abort();
      },
    );
    await pay.getByRole('button', { name: 'Pay out now' }).click();
    await pay.getByText('The payout is on its way').waitFor();
    expect(attempts).toBe(2);
    expect((await alice.get('/payouts')).body.data).toHaveLength(1);

    await page.getByRole('row').filter({ hasText: '12.5 USD' }).getByRole('link').click();
    await page.getByText('Rent of May').waitFor();
    await window.confirm('Cancel this payout');
    await page.getByRole('row').filter({ hasText: 'Cancelled' }).waitFor();
    expect(await available()).toBe(before);
  });

  it('show nothing of another’s payout', async () => {
    const window = await open('payouts/pay_0000000000000');
    await window.page.getByRole('main').getByRole('alert').waitFor();
  });

  it('is readable for everybody, in all its parts', async () => {
    const window = await open();
    await window.page.getByText('What happened').waitFor();
    await expectReadable(window, 'banking identity');
    await window.button('Begin a new case').click();
    await form(window, 'Say who you are').getByRole('button', { name: 'Next' }).click();
    await expectReadable(window, 'banking identity form');
    for (const [part, text] of [
      ['accounts', '…6789'],
      ['payouts', 'Cancelled'],
    ] as const) {
      await window.goTo(`banking/${part}`);
      await window.page.getByText(text).first().waitFor();
      await expectReadable(window, `banking ${part}`);
    }
    await window.page.getByRole('row').filter({ hasText: 'Cancelled' }).getByRole('link').click();
    await window.page.getByText('What happened').waitFor();
    await expectReadable(window, 'banking payout');
  });
});
