export const stepUp = {
  title: 'Is it you?',
  why: 'This needs a proof that it is you, even though you are logged in. It counts for five minutes.',
  code: 'Code',
  codeHint: 'What your authenticator app shows, or one of your recovery codes.',
  recoveryHint: 'One of your recovery codes.',
  password: 'Your password',
  confirm: 'Confirm',
  elsewhere: 'No password here? A new log-in counts, too. What you have typed on this page is lost.',
  again: 'Log in again',
} as const;
