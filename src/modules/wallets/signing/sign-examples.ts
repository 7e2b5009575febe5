const ADDRESS = '0x9858EfFD232B4033E47d90003D41EC34EcaEda94';

/** Bodies of `POST /wallets/{wallet_id}/sign`, for the document. */
export const SIGN_EXAMPLES = {
  message: {
    summary: 'A message',
    value: { address: ADDRESS, type: 'raw', encoding: 'utf8', payload: 'I own this address.' },
  },
  bytes: {
    summary: 'Bytes, signed as a message',
    value: { address: ADDRESS, type: 'raw', encoding: 'hex', payload: '0x00ff00ff' },
  },
  typed: {
    summary: 'Typed data (EIP-712)',
    value: {
      address: ADDRESS,
      type: 'typed',
      typed_data: {
        types: {
          Person: [
            { name: 'name', type: 'string' },
            { name: 'wallet', type: 'address' },
          ],
          Mail: [
            { name: 'from', type: 'Person' },
            { name: 'to', type: 'Person' },
            { name: 'contents', type: 'string' },
          ],
        },
        primaryType: 'Mail',
        domain: {
          name: 'Ether Mail',
          version: '1',
          chainId: 1,
          verifyingContract: '0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC',
        },
        message: {
          from: { name: 'Cow', wallet: '0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826' },
          to: { name: 'Bob', wallet: '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB' },
          contents: 'Hello, Bob!',
        },
      },
    },
  },
};
