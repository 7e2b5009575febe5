import { hash } from 'node:crypto';
import { base64 } from '@scure/base';
import { RawTx, RawWitness, Script, SigHash, Transaction, p2wpkh } from '@scure/btc-signer';
import type { KeyPair } from '../keys/key-pair.js';

const TAG = 'BIP0322-signed-message';
/** The transactions are never sent: they are of a version that nobody uses. */
const VERSION = 0;

/** The tagged hash (BIP-340) of a message, as BIP-322 has it. */
export function bip322MessageHash(message: Uint8Array): Buffer {
  const tag = hash('sha256', TAG, 'buffer');
  return hash('sha256', Buffer.concat([tag, tag, message]), 'buffer');
}

/**
 * Signs a message in BIP-322's simple form: the witness of a transaction that spends from one which only says
 * what was signed, in base64. It is made for P2WPKH, without the prefix that later revisions allow, so that
 * verifiers of all revisions take it.
 */
export function signBip322({ privateKey, publicKey }: KeyPair, message: Uint8Array): string {
  const { script } = p2wpkh(publicKey);
  const toSign = new Transaction({ version: VERSION, allowUnknownOutputs: true, allowUnknownVersion: true });
  toSign.addInput({
    txid: toSpendId(script, message),
    index: 0,
    sequence: 0,
    witnessUtxo: { script, amount: 0n },
    sighashType: SigHash.ALL,
  });
  toSign.addOutput({ script: Script.encode(['RETURN']), amount: 0n });
  toSign.signIdx(privateKey, 0);
  toSign.finalize();
  const witness = toSign.getInput(0).finalScriptWitness;
  if (witness === undefined) throw new Error('the transaction was not signed');
  return base64.encode(RawWitness.encode(witness));
}

/** The id of the transaction that is spent: nobody can have made it, and its input says what is signed. */
function toSpendId(script: Uint8Array, message: Uint8Array): Uint8Array {
  const transaction = RawTx.encode({
    version: VERSION,
    segwitFlag: false,
    inputs: [
      {
        txid: new Uint8Array(32),
        index: 0xffff_ffff,
        finalScriptSig: Script.encode([0, bip322MessageHash(message)]),
        sequence: 0,
      },
    ],
    outputs: [{ amount: 0n, script }],
    witnesses: undefined,
    lockTime: 0,
  });
  return hash('sha256', hash('sha256', transaction, 'buffer'), 'buffer').reverse();
}
