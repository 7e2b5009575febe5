import { hash } from 'node:crypto';
import { base64 } from '@scure/base';
import { RawTx, RawWitness, Script, SigHash, Transaction, p2wpkh } from '@scure/btc-signer';
import type { KeyPair } from '../keys/key-pair.js';

const TAG = 'BIP0322-signed-message';
/** These transactions are never broadcast, so they have a version that is not in use. */
const VERSION = 0;

/** The tagged hash (BIP-340) of a message, as BIP-322 has it. */
export function bip322MessageHash(message: Uint8Array): Buffer {
  const tag = hash('sha256', TAG, 'buffer');
  return hash('sha256', Buffer.concat([tag, tag, message]), 'buffer');
}

/**
 * Signs a message in BIP-322's simple form, in base64: the witness of a virtual transaction that spends another one,
 * which commits to the message. For P2WPKH, without the prefix of later revisions, so that verifiers of all revisions
 * accept it.
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

/**
 * The id of the virtual transaction that is spent: it cannot exist on the chain, and its input commits to the message.
 */
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
