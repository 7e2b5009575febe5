export const deskPayouts = {
  title: 'Payouts',
  parts: { all: 'Payouts', files: 'Files and reports' },
  none: 'There are no such payouts.',
  owner: 'Owner',
  by: 'Asked for by',
  rail: 'Rail',
  file: 'File',
  held: 'Held back',
  holds: {
    account_frozen: 'its account is frozen',
    user_locked: 'its owner is locked',
    user_closed: 'its owner has left',
  },
  csv: 'Save as CSV',
  approve: 'Approve',
  approveWhat: 'It goes with the next file of its rail. Who asked for it cannot approve it.',
  reject: 'Reject',
  rejectWhat: 'Nothing is paid, and the money is available again. The owner reads the reason.',
  report: 'Report',
  reportWhat: 'What the bank says of it, where no file of its reports does.',
  bank: 'The bank says',
  reported: { paid: 'It is paid', failed: 'It has failed', returned: 'It came back' },
  code: 'Code of the bank (may stay empty)',
  message: 'Words of the bank (may stay empty)',
  files: 'Files',
  noFiles: 'No file was made yet.',
  make: 'Make files now',
  makeHint: 'Of all payouts that wait for the rail, as the cut-off of each business day does by itself.',
  rails: { sepa: 'SEPA', ach: 'ACH' },
  made: (count: number) =>
    count === 0
      ? 'Nothing waits for this rail.'
      : count === 1
        ? '1 file is made.'
        : `${count} files are made.`,
  name: 'Name',
  payments: 'Payments',
  total: 'Total',
  settlesOn: 'To be paid on',
  delivered: 'Delivered',
  fetch: 'Fetch',
  markDelivered: 'The bank has it',
  markDeliveredWhat:
    'Its payouts are with the bank from now on. They count as paid when nothing has come back for as long as their rail is given.',
  upload: 'Upload a report of the bank',
  uploadHint:
    'An ISO 20022 pain.002 or a NACHA file of returns. A report that is uploaded again changes nothing.',
  reportFile: 'File of the bank',
  entries: 'What the report says',
  payout: 'Payout',
  outcome: 'Outcome',
  outcomes: { applied: 'Applied', unchanged: 'Was known', ignored: 'Not applied' },
  reason: 'Reason',
  unknown: (reference: string | null) => `unknown (${reference ?? 'no reference'})`,
  read: (format: string, rail: string, count: number) =>
    `${format} of ${rail}: ${count} ${count === 1 ? 'entry' : 'entries'}.`,
};
