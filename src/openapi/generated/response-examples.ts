/** Made by "npm run openapi:examples" from what the service answers in its tests. Do not edit. */
export const RESPONSE_EXAMPLES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "DELETE /accounts/{account_id}/limits/{limit_id}": {
    "202": {
      "limit_id": "lim_00000000001",
      "account_id": "acc_00000000001",
      "kind": "stake",
      "asset": "USD",
      "amount": "1",
      "period": "day",
      "used": "0",
      "remaining": "1",
      "period_start": "2026-11-02T09:00:00.000Z",
      "period_end": "2026-11-02T09:01:00.000Z",
      "pending_amount": null,
      "effective_at": "2026-11-02T09:02:00.000Z"
    }
  },
  "DELETE /admin/users/{username}/second-factors": {
    "202": {
      "approval_id": "apv_00000000001",
      "kind": "factor_reset",
      "status": "pending",
      "subject": {
        "type": "user",
        "id": "forgetful"
      },
      "summary": "Remove the second factor of forgetful, whose password alone then logs in, and end all sessions of theirs.",
      "proposed_by": "user:1",
      "proposed_at": "2026-11-02T09:00:00.000Z",
      "decided_by": null,
      "decided_at": null,
      "reason": null,
      "expires_at": "2026-11-02T09:01:00.000Z"
    }
  },
  "DELETE /order-lists/{order_list_id}": {
    "200": {
      "order_list_id": "olt_00000000001",
      "client_order_list_id": null,
      "account_id": "acc_00000000001",
      "market_id": "LIST-2",
      "type": "oco",
      "status": "done",
      "orders": [
        {
          "order_id": "ord_00000000001",
          "account_id": "acc_00000000001",
          "client_order_id": null,
          "market_id": "LIST-2",
          "side": "buy",
          "type": "stop_limit",
          "time_in_force": "GTC",
          "price": "112",
          "stop_price": "110",
          "best_price": null,
          "trigger": "last",
          "size": "1",
          "quote_size": null,
          "display_size": null,
          "order_list_id": "olt_00000000001",
          "origin": null,
          "trailing_offset": null,
          "trailing_percent": null,
          "expires_at": null,
          "post_only": false,
          "reduce_only": false,
          "self_trade_prevention": "cancel_newest",
          "status": "cancelled",
          "status_reason": "requested",
          "filled_size": "0",
          "remaining_size": "1",
          "average_fill_price": null,
          "fees": "0",
          "created_at": "2026-11-02T09:00:00.000Z",
          "updated_at": "2026-11-02T09:01:00.000Z",
          "sequence": 2
        }
      ],
      "created_at": "2026-11-02T09:00:00.000Z"
    }
  },
  "DELETE /orders": {
    "200": {
      "cancelled": [
        "ord_00000000001",
        "ord_00000000002",
        "ord_00000000003"
      ]
    }
  },
  "DELETE /orders/{order_id}": {
    "200": {
      "order_id": "ord_00000000001",
      "account_id": "acc_00000000001",
      "client_order_id": null,
      "market_id": "LIST-10",
      "side": "buy",
      "type": "limit",
      "time_in_force": "GTC",
      "price": "100",
      "stop_price": null,
      "best_price": null,
      "trigger": null,
      "size": "2",
      "quote_size": null,
      "display_size": null,
      "order_list_id": "olt_00000000001",
      "origin": null,
      "trailing_offset": null,
      "trailing_percent": null,
      "expires_at": null,
      "post_only": false,
      "reduce_only": false,
      "self_trade_prevention": "cancel_newest",
      "status": "cancelled",
      "status_reason": "requested",
      "filled_size": "0.5",
      "remaining_size": "1.5",
      "average_fill_price": "100",
      "fees": "0",
      "created_at": "2026-11-02T09:00:00.000Z",
      "updated_at": "2026-11-02T09:02:00.000Z",
      "sequence": 3,
      "fills": [
        {
          "fill_id": "fil_00000000001",
          "trade_id": "trd_00000000001",
          "order_id": "ord_00000000001",
          "market_id": "LIST-10",
          "side": "buy",
          "price": "100",
          "size": "0.5",
          "fee": "0",
          "fee_asset": "USD",
          "liquidity": "maker",
          "executed_at": "2026-11-02T09:01:00.000Z",
          "sequence": 2
        }
      ]
    }
  },
  "DELETE /payouts/{payout_id}": {
    "200": {
      "payout_id": "pay_00000000001",
      "payout_account_id": "pac_00000000001",
      "account_id": "acc_00000000001",
      "amount": "6",
      "requested_amount": "6",
      "currency": "EUR",
      "fee": "0",
      "status": "cancelled",
      "code": "cancelled_by_owner",
      "message": null,
      "reference": "x",
      "created_at": "2026-11-02T09:00:00.000Z",
      "updated_at": "2026-11-02T09:01:00.000Z"
    }
  },
  "DELETE /wallets/{wallet_id}/transfers/{transfer_id}": {
    "200": {
      "transfer_id": "trf_00000000001",
      "wallet_id": "wlt_00000000001",
      "direction": "out",
      "status": "cancelled",
      "reason": null,
      "asset": "ETH",
      "amount": "1.5",
      "fee": "0",
      "fee_asset": "ETH",
      "source": {
        "type": "wallet",
        "wallet_id": "wlt_00000000001"
      },
      "destination": {
        "type": "address",
        "chain": "ethereum",
        "address": "0x6ba914a9759a568ebf8a3b173c82e0d7e55df1dd"
      },
      "tx_hash": null,
      "confirmations": null,
      "client_transfer_id": "out-1",
      "created_at": "2026-11-02T09:00:00.000Z",
      "updated_at": "2026-11-02T09:02:00.000Z",
      "states": [
        {
          "status": "pending",
          "reason": null,
          "at": "2026-11-02T09:01:00.000Z"
        }
      ]
    }
  },
  "GET /.well-known/oauth-authorization-server": {
    "200": {
      "issuer": "https://tradepost.example",
      "authorization_endpoint": "https://tradepost.example/oauth/authorize",
      "token_endpoint": "https://tradepost.example/oauth/token",
      "token_endpoint_auth_methods_supported": [
        "client_secret_basic",
        "client_secret_post",
        "none"
      ],
      "revocation_endpoint": "https://tradepost.example/oauth/revoke",
      "revocation_endpoint_auth_methods_supported": [
        "client_secret_basic",
        "client_secret_post",
        "none"
      ],
      "introspection_endpoint": "https://tradepost.example/oauth/introspect",
      "introspection_endpoint_auth_methods_supported": [
        "client_secret_basic",
        "client_secret_post"
      ],
      "grant_types_supported": [
        "authorization_code",
        "client_credentials",
        "refresh_token"
      ],
      "response_types_supported": [
        "code",
        "token"
      ],
      "response_modes_supported": [
        "query",
        "fragment"
      ],
      "code_challenge_methods_supported": [
        "S256"
      ],
      "authorization_response_iss_parameter_supported": true,
      "scopes_supported": [
        "markets:trade",
        "account:read",
        "wallets:read"
      ],
      "service_documentation": "https://tradepost.example/docs"
    }
  },
  "GET /accounts": {
    "200": {
      "data": [
        {
          "account_id": "acc_00000000001",
          "kind": "trading",
          "name": "Account 99",
          "frozen": false,
          "created_at": "2026-11-02T09:00:00.000Z",
          "role": "owner",
          "is_main": false
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /accounts/invitations": {
    "200": {
      "data": [
        {
          "account_id": "acc_00000000001",
          "name": "Desk 1",
          "owner": "alice",
          "role": "viewer",
          "invited_at": "2026-11-02T09:00:00.000Z",
          "expires_at": "2026-11-02T09:01:00.000Z"
        }
      ],
      "next_cursor": null
    }
  },
  "GET /accounts/statements": {
    "200": {
      "from": null,
      "to": null,
      "data": [
        {
          "kind": "movement",
          "asset": "USD",
          "balance": "70",
          "amount": "30",
          "direction": "debit",
          "reason": "transfer",
          "reference": "trf_00000000001",
          "entry_id": "ent_00000000001",
          "ledger_sequence": 435,
          "at": "2026-11-02T09:00:00.000Z",
          "account_id": "acc_00000000001",
          "is_internal": true
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /accounts/{account_id}/balances": {
    "200": {
      "data": [
        {
          "asset": "BTC",
          "available": "1000",
          "held": "0",
          "total": "1000"
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /accounts/{account_id}/entries": {
    "200": {
      "data": [
        {
          "entry_id": "ent_00000000001",
          "asset": "EUR",
          "amount": "1.5",
          "direction": "credit",
          "reason": "adjustment",
          "reference": "wire 1",
          "balance_after": "16.5",
          "ledger_sequence": 17,
          "created_at": "2026-11-02T09:00:00.000Z"
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /accounts/{account_id}/fees": {
    "200": {
      "data": [
        {
          "market_id": "BTC-USD",
          "maker_fee_rate": "0",
          "taker_fee_rate": "0",
          "tier": "tier-1",
          "schedule": "default",
          "volume_30d": "0",
          "volume_asset": "EUR",
          "next_tier": {
            "volume_30d": "1",
            "maker_fee_rate": "0",
            "taker_fee_rate": "0.1"
          }
        }
      ],
      "next_cursor": null
    }
  },
  "GET /accounts/{account_id}/fills": {
    "200": {
      "data": [
        {
          "fill_id": "fil_00000000001",
          "kind": "trade",
          "trade_id": "trd_00000000001",
          "order_id": "ord_00000000001",
          "market_id": "PERIODS",
          "side": "buy",
          "price": "100",
          "size": "1",
          "closed_size": "0",
          "fee": "0",
          "fee_asset": "USD",
          "liquidity": "taker",
          "executed_at": "2026-11-02T09:00:00.000Z",
          "sequence": 11,
          "ledger_sequence": 81,
          "position_size": "4",
          "realized_pnl": "0",
          "realized_pnl_fifo": "0"
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /accounts/{account_id}/limits": {
    "200": {
      "limits": [
        {
          "limit_id": "lim_00000000001",
          "account_id": "acc_00000000001",
          "kind": "stake",
          "asset": "USD",
          "amount": "5",
          "period": "day",
          "used": "0",
          "remaining": "5",
          "period_start": "2026-11-02T09:00:00.000Z",
          "period_end": "2026-11-02T09:01:00.000Z",
          "pending_amount": "20",
          "effective_at": "2026-11-02T09:02:00.000Z"
        }
      ]
    }
  },
  "GET /accounts/{account_id}/members": {
    "200": {
      "data": [
        {
          "username": "bob",
          "role": "trader",
          "status": "active",
          "invited_at": "2026-11-02T09:00:00.000Z",
          "expires_at": null,
          "accepted_at": "2026-11-02T09:01:00.000Z"
        }
      ]
    }
  },
  "GET /accounts/{account_id}/pnl": {
    "200": {
      "account_id": "acc_00000000001",
      "method": "fifo",
      "group_by": "day",
      "from": "2026-11-02T09:00:00.000Z",
      "to": null,
      "as_of": "2026-11-02T09:01:00.000Z",
      "ledger_sequence": 224,
      "asset": "USD",
      "realized_pnl": "25",
      "unrealized_pnl": "30",
      "fees": "0.991",
      "net_pnl": "54.009",
      "totals": [
        {
          "asset": "USD",
          "realized_pnl": "25",
          "unrealized_pnl": "30",
          "fees": "0.991",
          "net_pnl": "54.009"
        }
      ],
      "groups": [
        {
          "market_id": "PNL-4",
          "day": "2026-11-02",
          "asset": "USD",
          "position_size": "1.005",
          "cost_basis": "90.5",
          "mark": {
            "price": "100",
            "source": "last_price"
          },
          "realized_pnl": "25",
          "unrealized_pnl": "10",
          "fees": "0.991",
          "net_pnl": "34.009",
          "fills": "/markets/PNL-4/fills?account_id=acc_00000000001&from=2026-11-23T21%3A10%3A50.810Z&at_sequence=224"
        }
      ],
      "next_cursor": null
    }
  },
  "GET /accounts/{account_id}/positions": {
    "200": {
      "data": [
        {
          "market_id": "PNL-8",
          "size": "1",
          "average_entry_price": "100",
          "cost_basis": "100",
          "mark_price": "100",
          "mark_source": "last_price",
          "market_value": "100",
          "realized_pnl": "0",
          "unrealized_pnl": "0",
          "fees": "0.2"
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /accounts/{account_id}/proof": {
    "200": {
      "account_id": "acc_00000000001",
      "as_of": "2026-11-02T09:00:00.000Z",
      "sequence": 581,
      "parts": [
        {
          "leaf": {
            "account_id": "acc_00000000001",
            "part": 2,
            "parts": 2,
            "balances": {
              "BTC": "415.461762419084080425",
              "ETH": "3167.038103952011925081",
              "EUR": "274036.83968783006471735",
              "USD": "2161176.040390725706232625",
              "USDC": "678834.948469444217204229"
            }
          },
          "salt": "3973b720f5cdaa2b848cc26f3afd57cb192f9e5f05d8ae680d998e8beeec014b",
          "path": [
            {
              "hash": "321ffb8b9f2eb33502c5fc58d2e250565f849757667d0ffd61542dab62eb27db",
              "sums": {
                "BTC": "183.269274715665937298",
                "ETH": "1766.934269737189201126",
                "EUR": "710282.807373984681139929",
                "USD": "330012.024575288512315255",
                "USDC": "9736668.638560642897094786"
              },
              "side": "left"
            }
          ]
        }
      ],
      "root": "fb0ee5f33935284ce07c9315b4f4a8a5d121df7feffc49ce04e5fa7a30c5a16c"
    }
  },
  "GET /accounts/{account_id}/receipt": {
    "200": {
      "statement": {
        "account_id": 13,
        "changes": [
          {
            "table": "transfers",
            "kind": "append",
            "row": {
              "transfer_id": 54,
              "asset": "USD",
              "amount": "12500000000000000000",
              "reason": "transfer",
              "reference": "trf_00000000001",
              "created_at": 1795705946271,
              "side": "debit",
              "balance_after": "9998767500000000000000000"
            }
          }
        ]
      },
      "salt": "3973b720f5cdaa2b848cc26f3afd57cb192f9e5f05d8ae680d998e8beeec014b",
      "statement_index": 0,
      "statement_proof": [
        "2f77c43ee60eab9bf1a4ce942e14ee67c43f23417f6186ca323c916c0efaf962"
      ],
      "height": 16,
      "leaf": "IOMl8GKA-dDRk_7QGg7aW-95Bj8uYC2T42BcvoJdlq0zL920gl05WPrUdIv8RcaMEcuCuZDsXhjvv1TYU5_760usV99m_mNoGI0dRSG8_67O52oDpQ_yl6E0OfcWTeCl8ym5liNVdWKcOC03mDC2rHkV0u5fWj6iGeYUqXaqp2wIUDbVQV_YnyLFk_OnoQNIrzyHs_E9czc6Qvh2jjd9o-kXfGDp5KKC5qKkjw5AJ6JhHq19T0HVHo2K9KzDibuLhY6U9YUHF9sGvE4L10RDid0R61fK-OYFAsxjMIGmNlENAP8b2WZCOYAJvIK628akKFMrLiifYcK7IgqBSnyyCm7IN3l5CwDPTdNVuola3zaDgVi6o5jw5w_OcBhQPbreJT0MyfPV5M31dJGnKmWDwZqv4BzZFzkh9KjUPe9fkS31S0t4nmPtCo3RUqWwILU-DJ16JSK5NwLCVdKEdXXr6pipIXWG9GwuPiD4JYB3_s73RA5OgXuQxW1_9U2ngYso7XMoKfSQ0evI9slCDI7ZbhGFhPd_krcF-7n8gmmWe0do774uRE3A1Zw6Hc31Sutpg21Z-g2-SjkqsJGfNRjAWTQf547CPE4vUkxv_7g62WVEMSYRl8vepA_yADK0oBALqD1MoG-MZ4v1Cfwy9dLVcfTf7Nc3OpFxGX_Ay0VZh6eoFVcsDBrhN6Zz81RxeXaQT2bFwWwW9XtxWdHjdH8CEaySAicKahz_nqih",
      "proof": [
        "7f84a8eede3609dcfe6e7705cf0c56a4f369bdc723f9636eca3382bb855fb955",
        "7f84a8eede3609dcfe6e7705cf0c56a4f369bdc723f9636eca3382bb855fb955",
        "7f84a8eede3609dcfe6e7705cf0c56a4f369bdc723f9636eca3382bb855fb955"
      ],
      "head": {
        "time": "2026-11-02T09:00:00.000Z",
        "height": 16,
        "key_id": "bd8e28f7b73c3af29c60eff5a7ca51b4",
        "sequence": 54,
        "root_hash": "03f7b7d34c32bb4cc5c2d182bc9b79a822324fb485e2a0139c779cfa848dcf62",
        "signature": "QZZ4T63ADK4Hbs7/loRl6IvhQf/cja9uYOawqRH3vuIEbTM7V+M8o1CnVzfTUSuK6G8XuHNCwmgvzbT2xfca6w==",
        "tree_size": 16,
        "chain_hash": "700eae7f6717a3fa734e877b98b955e093ff5ac5eb933ac9ded0e3d8323caf37",
        "state_hash": "a444581ab0af1ad5e94f3e8ba600541bbe62b823e657b920be0b8bd3fa079b24",
        "public_state_hash": "06a8c21cfff9833635d031e3b8098ee4f259bd45b9d4ef295d4ee25d86ffabb9"
      }
    }
  },
  "GET /accounts/{account_id}/statements": {
    "200": {
      "account_id": "acc_00000000001",
      "from": "2026-11-02T09:00:00Z",
      "to": "2026-11-02T09:02:00Z",
      "data": [
        {
          "kind": "movement",
          "asset": "EUR",
          "balance": "7",
          "amount": "7",
          "direction": "credit",
          "reason": "adjustment",
          "reference": "race",
          "entry_id": "ent_00000000001",
          "ledger_sequence": 92,
          "at": "2026-11-02T09:01:00.000Z"
        }
      ],
      "next_cursor": null
    }
  },
  "GET /accounts/{account_id}/transfers": {
    "200": {
      "data": [
        {
          "transfer_id": "trf_00000000001",
          "wallet_id": null,
          "direction": "out",
          "status": "completed",
          "reason": null,
          "asset": "EUR",
          "amount": "4",
          "fee": "0",
          "fee_asset": "EUR",
          "source": {
            "type": "account",
            "account_id": "acc_00000000001"
          },
          "destination": {
            "type": "account",
            "account_id": "acc_00000000002"
          },
          "tx_hash": null,
          "confirmations": null,
          "client_transfer_id": "in-7",
          "created_at": "2026-11-02T09:00:00.000Z",
          "updated_at": "2026-11-02T09:01:00.000Z"
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /accounts/{account_id}/transfers/{transfer_id}": {
    "200": {
      "transfer_id": "trf_00000000001",
      "wallet_id": null,
      "direction": "out",
      "status": "completed",
      "reason": null,
      "asset": "EUR",
      "amount": "3",
      "fee": "0",
      "fee_asset": "EUR",
      "source": {
        "type": "account",
        "account_id": "acc_00000000001"
      },
      "destination": {
        "type": "account",
        "account_id": "acc_00000000002"
      },
      "tx_hash": null,
      "confirmations": null,
      "client_transfer_id": "out-6",
      "created_at": "2026-11-02T09:00:00.000Z",
      "updated_at": "2026-11-02T09:01:00.000Z",
      "states": [
        {
          "status": "completed",
          "reason": null,
          "at": "2026-11-02T09:01:00.000Z"
        }
      ]
    }
  },
  "GET /accounts/{account_id}/transfers/{transfer_id}/receipt": {
    "200": {
      "statement": {
        "account_id": 13,
        "changes": [
          {
            "table": "transfers",
            "kind": "append",
            "row": {
              "transfer_id": 54,
              "asset": "USD",
              "amount": "12500000000000000000",
              "reason": "transfer",
              "reference": "trf_00000000001",
              "created_at": 1795705946271,
              "side": "debit",
              "balance_after": "9998767500000000000000000"
            }
          }
        ]
      },
      "salt": "3973b720f5cdaa2b848cc26f3afd57cb192f9e5f05d8ae680d998e8beeec014b",
      "statement_index": 0,
      "statement_proof": [
        "2f77c43ee60eab9bf1a4ce942e14ee67c43f23417f6186ca323c916c0efaf962"
      ],
      "height": 16,
      "leaf": "IOMl8GKA-dDRk_7QGg7aW-95Bj8uYC2T42BcvoJdlq0zL920gl05WPrUdIv8RcaMEcuCuZDsXhjvv1TYU5_760usV99m_mNoGI0dRSG8_67O52oDpQ_yl6E0OfcWTeCl8ym5liNVdWKcOC03mDC2rHkV0u5fWj6iGeYUqXaqp2wIUDbVQV_YnyLFk_OnoQNIrzyHs_E9czc6Qvh2jjd9o-kXfGDp5KKC5qKkjw5AJ6JhHq19T0HVHo2K9KzDibuLhY6U9YUHF9sGvE4L10RDid0R61fK-OYFAsxjMIGmNlENAP8b2WZCOYAJvIK628akKFMrLiifYcK7IgqBSnyyCm7IN3l5CwDPTdNVuola3zaDgVi6o5jw5w_OcBhQPbreJT0MyfPV5M31dJGnKmWDwZqv4BzZFzkh9KjUPe9fkS31S0t4nmPtCo3RUqWwILU-DJ16JSK5NwLCVdKEdXXr6pipIXWG9GwuPiD4JYB3_s73RA5OgXuQxW1_9U2ngYso7XMoKfSQ0evI9slCDI7ZbhGFhPd_krcF-7n8gmmWe0do774uRE3A1Zw6Hc31Sutpg21Z-g2-SjkqsJGfNRjAWTQf547CPE4vUkxv_7g62WVEMSYRl8vepA_yADK0oBALqD1MoG-MZ4v1Cfwy9dLVcfTf7Nc3OpFxGX_Ay0VZh6eoFVcsDBrhN6Zz81RxeXaQT2bFwWwW9XtxWdHjdH8CEaySAicKahz_nqih",
      "proof": [
        "7f84a8eede3609dcfe6e7705cf0c56a4f369bdc723f9636eca3382bb855fb955",
        "7f84a8eede3609dcfe6e7705cf0c56a4f369bdc723f9636eca3382bb855fb955",
        "7f84a8eede3609dcfe6e7705cf0c56a4f369bdc723f9636eca3382bb855fb955"
      ],
      "head": {
        "time": "2026-11-02T09:00:00.000Z",
        "height": 16,
        "key_id": "bd8e28f7b73c3af29c60eff5a7ca51b4",
        "sequence": 54,
        "root_hash": "03f7b7d34c32bb4cc5c2d182bc9b79a822324fb485e2a0139c779cfa848dcf62",
        "signature": "QZZ4T63ADK4Hbs7/loRl6IvhQf/cja9uYOawqRH3vuIEbTM7V+M8o1CnVzfTUSuK6G8XuHNCwmgvzbT2xfca6w==",
        "tree_size": 16,
        "chain_hash": "700eae7f6717a3fa734e877b98b955e093ff5ac5eb933ac9ded0e3d8323caf37",
        "state_hash": "a444581ab0af1ad5e94f3e8ba600541bbe62b823e657b920be0b8bd3fa079b24",
        "public_state_hash": "06a8c21cfff9833635d031e3b8098ee4f259bd45b9d4ef295d4ee25d86ffabb9"
      }
    }
  },
  "GET /admin/accounts": {
    "200": {
      "data": [
        {
          "account_id": "acc_00000000001",
          "kind": "trading",
          "name": "bob",
          "owner": "bob",
          "status": "active",
          "created_at": "2026-11-02T09:00:00.000Z"
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /admin/accounts/{account_id}/fee-schedule": {
    "200": {
      "account_id": "acc_00000000001",
      "name": "vip"
    }
  },
  "GET /admin/accounts/{account_id}/limits": {
    "200": {
      "limits": [
        {
          "limit_id": "lim_00000000001",
          "account_id": "acc_00000000001",
          "kind": "stake",
          "asset": "USD",
          "amount": "10",
          "period": "day",
          "used": "0",
          "remaining": "10",
          "period_start": "2026-11-02T09:00:00.000Z",
          "period_end": "2026-11-02T09:01:00.000Z",
          "pending_amount": null,
          "effective_at": null
        }
      ]
    }
  },
  "GET /admin/approvals": {
    "200": {
      "data": [
        {
          "approval_id": "apv_00000000001",
          "kind": "deposit",
          "status": "rejected",
          "subject": {
            "type": "account",
            "id": "acc_00000000001"
          },
          "summary": "Deposit 1 EUR into the account acc_00000000001 of customer (wire 1).",
          "proposed_by": "user:1",
          "proposed_at": "2026-11-02T09:00:00.000Z",
          "decided_by": "user:2",
          "decided_at": "2026-11-02T09:01:00.000Z",
          "reason": "no such wire",
          "expires_at": "2026-11-02T09:02:00.000Z"
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /admin/approvals/{approval_id}": {
    "200": {
      "approval_id": "apv_00000000001",
      "kind": "adjustment",
      "status": "failed",
      "subject": {
        "type": "account",
        "id": "acc_00000000001"
      },
      "summary": "Debit 1000000 EUR from the account acc_00000000001 of customer (wire 1): Credited twice",
      "proposed_by": "user:1",
      "proposed_at": "2026-11-02T09:00:00.000Z",
      "decided_by": "user:2",
      "decided_at": "2026-11-02T09:01:00.000Z",
      "reason": "insufficient_funds",
      "expires_at": "2026-11-02T09:02:00.000Z"
    }
  },
  "GET /admin/audit": {
    "200": {
      "data": [
        {
          "audit_id": "aud_00000000001",
          "at": "2026-11-02T09:00:00.000Z",
          "actor": {
            "person": "client:admin",
            "credential": "client:admin",
            "address": "127.0.0.1"
          },
          "action": "updateMarket",
          "target": {
            "type": "market",
            "id": "CHANGED"
          },
          "request_id": "01890000-0000-7000-8000-000000000001",
          "outcome": "succeeded",
          "details": {
            "title": "Another title",
            "category": "changed",
            "max_size": "20",
            "min_size": "0.5",
            "closes_at": "2026-11-02T09:01:00.000Z",
            "price_max": "1000",
            "price_min": "1",
            "description": "Another description",
            "min_notional": "10",
            "maker_fee_rate": "0.25",
            "taker_fee_rate": "0.5"
          },
          "hash": "321ffb8b9f2eb33502c5fc58d2e250565f849757667d0ffd61542dab62eb27db"
        }
      ],
      "next_cursor": null
    }
  },
  "GET /admin/blog/images": {
    "200": {
      "data": [
        {
          "image_name": "8d82805822d251226aa731aa26fc0eeb.png",
          "url": "https://tradepost.example/blog/images/8d82805822d251226aa731aa26fc0eeb.png",
          "media_type": "image/png",
          "size_bytes": 94,
          "created_at": "2026-11-02T09:00:00.000Z"
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /admin/blog/pages": {
    "200": {
      "data": [
        {
          "page_id": "pag_00000000001",
          "slug": "a-page",
          "url": "https://tradepost.example/blog/pages/a-page",
          "title": "A page",
          "updated_at": "2026-11-02T09:00:00.000Z",
          "status": "published",
          "published_at": "2026-11-02T09:00:00.000Z",
          "version": 1,
          "created_at": "2026-11-02T09:00:00.000Z"
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /admin/blog/pages/{page_id}": {
    "200": {
      "page_id": "pag_00000000001",
      "slug": "a-page-2",
      "url": "https://tradepost.example/blog/pages/a-page-2",
      "title": "A page",
      "updated_at": "2026-11-02T09:00:00.000Z",
      "status": "published",
      "published_at": "2026-11-02T09:00:00.000Z",
      "version": 1,
      "created_at": "2026-11-02T09:00:00.000Z",
      "html": "<p>Some <em>words</em>.</p>",
      "markdown": "Some *words*."
    }
  },
  "GET /admin/blog/posts": {
    "200": {
      "data": [
        {
          "post_id": "pst_00000000001",
          "slug": "welcome-to-tradepost",
          "url": "https://tradepost.example/blog/posts/welcome-to-tradepost",
          "title": "Welcome to Tradepost",
          "excerpt": "Tradepost is open. You can trade bitcoin and ether, take a view on the weather, keep money in wallets of your own, and have it paid out to your bank. Read how an order book works, if you have not traded before. Look at prices between zero …",
          "feature_image": null,
          "status": "published",
          "updated_at": "2026-11-02T09:01:00.000Z",
          "reading_time": 1,
          "category": {
            "slug": "news",
            "name": "News"
          },
          "tags": [
            {
              "slug": "announcements",
              "name": "Announcements"
            }
          ],
          "author": {
            "slug": "ines-carvalho",
            "name": "Inês Carvalho"
          },
          "published_at": "2026-11-02T09:00:00.000Z",
          "custom_excerpt": null,
          "version": 1,
          "created_at": "2026-11-02T09:01:00.000Z"
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /admin/blog/posts/{post_id}": {
    "200": {
      "post_id": "pst_00000000001",
      "slug": "unicorn-secret-4",
      "url": "https://tradepost.example/blog/posts/unicorn-secret-4",
      "title": "Unicorn secret",
      "excerpt": "The unicorn text.",
      "feature_image": null,
      "status": "scheduled",
      "updated_at": "2026-11-02T09:00:00.000Z",
      "reading_time": 1,
      "category": {
        "slug": "unicorns",
        "name": "Unicorns"
      },
      "tags": [
        {
          "slug": "unicorn-tag",
          "name": "Unicorn tag"
        }
      ],
      "author": {
        "slug": "unicorn-author",
        "name": "Unicorn Author"
      },
      "published_at": "2026-11-02T09:01:00.000Z",
      "custom_excerpt": null,
      "version": 1,
      "created_at": "2026-11-02T09:00:00.000Z",
      "html": "<p>The unicorn text.</p>",
      "markdown": "The unicorn text."
    }
  },
  "GET /admin/chain-deposits": {
    "200": {
      "data": [
        {
          "deposit_id": "dep_00000000001",
          "chain": "ethereum",
          "asset": "ETH",
          "amount": "0.002",
          "minimum": "0.01",
          "address": "0x6ba914a9759a568ebf8a3b173c82e0d7e55df1dd",
          "source": "0xb20389ce6e88582c86332b8430c38903bd6fa75f",
          "tx_hash": "0x3a2d38ba7b8f21e664e7849eeb1369aca54d07d970c158aa9c27282cf90ffad1",
          "confirmations": 1,
          "status": "below_minimum",
          "reason": "Less than 0.01 ETH in all waits on the address. Send more there.",
          "transfer_id": null,
          "created_at": "2026-11-02T09:00:00.000Z",
          "wallet_id": "wlt_00000000001",
          "account_id": "acc_00000000001"
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /admin/chains": {
    "200": {
      "data": [
        {
          "chain": "ethereum",
          "connected": true,
          "assets": [
            "ETH",
            "USDC",
            "DAI"
          ],
          "confirmations": 1,
          "head_block": 1,
          "scanned_block": 1,
          "looked_at": "2026-11-02T09:00:00.000Z",
          "hot_address": "0x6eebf7481c4dfb03cd06e03502968497a6a0b3e4",
          "hot_balances": [
            {
              "asset": "ETH",
              "amount": "0"
            }
          ],
          "work": {
            "deposits_arriving": 0,
            "deposits_unswept": 0,
            "deposits_orphaned": 0,
            "sweeps": 0,
            "sends": 0,
            "transfers_waiting": 0
          },
          "problems": [
            "There is no asset DAI: what arrives of it on ethereum waits until POST /admin/assets makes it."
          ]
        }
      ],
      "next_cursor": null
    }
  },
  "GET /admin/chains/{chain}/check": {
    "200": {
      "chain": "ethereum",
      "balanced": false,
      "block": 14,
      "assets": [
        {
          "asset": "ETH",
          "hot": "0",
          "unswept": "0",
          "ledger": "5",
          "arriving": "0",
          "leaving": "0",
          "difference": "-5"
        }
      ],
      "problems": [
        "-5 ETH more on the chain than in the books.",
        "1 credited deposits are in no block any more."
      ]
    }
  },
  "GET /admin/chat/rooms/{room_id}/bans": {
    "200": {
      "data": [
        {
          "room_id": "rom_00000000001",
          "member": "client:demo",
          "until": "2026-11-02T09:01:00.000Z",
          "reason": "Shouts",
          "banned_by": "client:admin",
          "banned_at": "2026-11-02T09:00:00.000Z"
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /admin/fee-schedules": {
    "200": {
      "data": [
        {
          "name": "default",
          "tiers": [
            {
              "volume_30d": "0",
              "maker_fee_rate": "0",
              "taker_fee_rate": "0"
            }
          ],
          "volume_asset": "EUR",
          "accounts": 0,
          "rebates_capped": false,
          "updated_at": "2026-11-02T09:00:00.000Z"
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /admin/fee-schedules/{name}": {
    "200": {
      "name": "vip",
      "tiers": [
        {
          "volume_30d": "0",
          "maker_fee_rate": "-0.5",
          "taker_fee_rate": "0.5"
        }
      ],
      "volume_asset": "USD",
      "accounts": 1,
      "rebates_capped": true,
      "updated_at": "2026-11-02T09:00:00.000Z"
    }
  },
  "GET /admin/kyc": {
    "200": {
      "data": [
        {
          "kyc_id": "kyc_00000000001",
          "status": "rejected",
          "level": 0,
          "reasons": [
            {
              "code": "requirements_not_met",
              "message": "Submit a new case that meets the requirements."
            }
          ],
          "requirements": [
            {
              "field": "document.expires_on",
              "code": "expiry_mismatch",
              "message": "The date is not the one in the lines of the document: correct whichever is wrong."
            }
          ],
          "person": {
            "name": "A*** E***",
            "document_type": "passport",
            "document_number": "***548"
          },
          "document_expires_on": "2026-11-02",
          "created_at": "2026-11-02T09:00:00.000Z",
          "updated_at": "2026-11-02T09:01:00.000Z",
          "decided_at": "2026-11-02T09:01:00.000Z",
          "owner": "client:demo",
          "submitted_by": "client:demo",
          "provider": "built-in",
          "provider_reference": null,
          "checks": [
            {
              "check": "age",
              "outcome": "passed",
              "score": null,
              "matches": []
            }
          ]
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /admin/kyc/{kyc_id}": {
    "200": {
      "kyc_id": "kyc_00000000001",
      "status": "approved",
      "level": 1,
      "reasons": [
        {
          "code": "operator_decision",
          "message": "Document and data agree."
        }
      ],
      "requirements": [],
      "person": {
        "name": "Z*** Q***",
        "document_type": "passport",
        "document_number": "***620"
      },
      "document_expires_on": "2026-11-02",
      "created_at": "2026-11-02T09:00:00.000Z",
      "updated_at": "2026-11-02T09:02:00.000Z",
      "decided_at": "2026-11-02T09:02:00.000Z",
      "owner": "client:demo",
      "submitted_by": "client:demo",
      "provider": "built-in",
      "provider_reference": null,
      "checks": [
        {
          "check": "age",
          "outcome": "passed",
          "score": null,
          "matches": []
        }
      ],
      "revealed": {
        "first_name": "Zdzisława",
        "last_name": "Quetzalcoatlsson",
        "date_of_birth": "1974-08-12",
        "nationality": "PT",
        "address": {
          "line1": "Xylophonweg 77",
          "line2": null,
          "city": "Wolkenkuckucksheim",
          "region": null,
          "postal_code": "1100-053",
          "country": "PT"
        },
        "document": {
          "type": "passport",
          "number": "123879620",
          "issuing_country": "PT",
          "expires_on": "2026-11-02",
          "mrz": [
            "P<PRTQUETZALCOATLSSON<<ZDZISLAWA<<<<<<<<<<<<",
            "1238796200PRT7408122F4504159<<<<<<<<<<<<<<04"
          ]
        }
      },
      "images": [],
      "history": [
        {
          "status": "approved",
          "level": 1,
          "changed_by": "client:admin",
          "code": "operator_decision",
          "reason": "Document and data agree.",
          "changed_at": "2026-11-02T09:01:00.000Z"
        }
      ],
      "views": 1
    }
  },
  "GET /admin/ledger/check": {
    "200": {
      "balanced": true,
      "assets": [
        {
          "asset": "BTC",
          "total": "0",
          "inside": "2000",
          "held": "0",
          "live_holds": "0",
          "fees": "0"
        }
      ],
      "problems": [],
      "sequence": 73,
      "state_hash": "a444581ab0af1ad5e94f3e8ba600541bbe62b823e657b920be0b8bd3fa079b24",
      "full": {
        "status": "done",
        "progress": 1,
        "sequence": 73,
        "balanced": true,
        "problems": []
      }
    }
  },
  "GET /admin/liabilities": {
    "200": {
      "data": [
        {
          "cut_id": "cut_00000000001",
          "kind": "daily",
          "status": "done",
          "accounts_done": 7,
          "accounts_total": 7,
          "as_of": "2026-11-02T09:00:00.000Z",
          "started_at": "2026-11-02T09:02:00.000Z",
          "finished_at": "2026-11-02T09:03:00.000Z",
          "created_at": "2026-11-02T09:01:00.000Z"
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /admin/markets/{market_id}/settlement": {
    "200": {
      "market_id": "FOUR-EYES",
      "status": "closed",
      "settlement_value": null,
      "settled_at": null,
      "holders": 2,
      "paid": 0,
      "amount_paid": "0",
      "started_at": null,
      "finished_at": null,
      "proposal": {
        "approval_id": "apv_00000000001",
        "settlement_value": "0.3",
        "proposed_by": "client:admin",
        "proposed_at": "2026-11-02T09:00:00.000Z"
      }
    }
  },
  "GET /admin/news/feeds": {
    "200": {
      "data": [
        {
          "feed_id": "nfd_00000000001",
          "url": "https://tradepost.example/feed-8.xml",
          "current_url": "https://tradepost.example/feed-8.xml",
          "title": "Example & Sons",
          "status": "failing",
          "http_status": 500,
          "problem": "It answered with status 500.",
          "failures": 1,
          "polled_at": "2026-11-02T09:01:00.000Z",
          "succeeded_at": "2026-11-02T09:00:00.000Z",
          "next_poll_at": "2026-11-02T09:02:00.000Z"
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /admin/orders": {
    "200": {
      "data": [
        {
          "order_id": "ord_00000000001",
          "account_id": "acc_00000000001",
          "client_order_id": null,
          "market_id": "LIST-B",
          "side": "buy",
          "type": "limit",
          "time_in_force": "GTC",
          "price": "101",
          "stop_price": null,
          "best_price": null,
          "trigger": null,
          "size": "0.8",
          "quote_size": null,
          "display_size": null,
          "order_list_id": null,
          "origin": null,
          "trailing_offset": null,
          "trailing_percent": null,
          "expires_at": null,
          "post_only": false,
          "reduce_only": false,
          "self_trade_prevention": "cancel_newest",
          "status": "cancelled",
          "status_reason": "self_trade",
          "filled_size": "0.6",
          "remaining_size": "0.2",
          "average_fill_price": "101",
          "fees": "0",
          "created_at": "2026-11-02T09:00:00.000Z",
          "updated_at": "2026-11-02T09:00:00.000Z",
          "sequence": 38
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /admin/payout-files": {
    "200": {
      "data": [
        {
          "file_id": "pof_00000000001",
          "rail": "ach",
          "number": 1,
          "name": "ach-000001.ach",
          "media_type": "text/plain",
          "currency": "USD",
          "payments": 1,
          "total": "123.45",
          "settles_on": "2026-11-02",
          "sha256": "736943f02b257ff2733284173a2cdbde3ed4f1c20d80e44b516c200de489d166",
          "created_by": "client:admin",
          "created_at": "2026-11-02T09:00:00.000Z",
          "delivered_by": "client:admin",
          "delivered_at": "2026-11-02T09:01:00.000Z"
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /admin/payout-remarks": {
    "200": {
      "data": [
        {
          "remark_id": "prm_00000000001",
          "status": "cleared",
          "report_id": "por_00000000001",
          "rail": "sepa",
          "payout_id": "pay_00000000001",
          "file_id": null,
          "bank_reference": "pay-0000000000J",
          "code": "ABCD",
          "reason": "ABCD is no status that moves a payment. The bank says: MS03 As told. So it moves nothing: ask the bank what became of the money.",
          "created_at": "2026-11-02T09:00:00.000Z",
          "cleared_by": "client:admin",
          "cleared_at": "2026-11-02T09:01:00.000Z",
          "note": "The bank has paid it."
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /admin/payouts": {
    "200": {
      "data": [
        {
          "payout_id": "pay_00000000001",
          "payout_account_id": "pac_00000000001",
          "account_id": "acc_00000000001",
          "amount": "123.45",
          "requested_amount": "123.45",
          "currency": "USD",
          "fee": "0",
          "status": "returned",
          "code": "R03",
          "message": "there is no such account, or it belongs to somebody else",
          "reference": "Invoice 7",
          "created_at": "2026-11-02T09:00:00.000Z",
          "updated_at": "2026-11-02T09:01:00.000Z",
          "owner": "client:demo",
          "requested_by": "client:demo",
          "rail": "ach",
          "held": null,
          "file_id": "pof_00000000001",
          "bank_reference": "121000240000001",
          "paid_after": "2026-11-02"
        }
      ],
      "next_cursor": null
    }
  },
  "GET /admin/sanctions-list": {
    "200": {
      "people": 2,
      "names": 3,
      "loaded_at": "2026-11-02T09:00:00.000Z",
      "version": "2f9915460e48c323"
    }
  },
  "GET /admin/trades": {
    "200": {
      "data": [
        {
          "trade_id": "trd_00000000001",
          "market_id": "LIST-B",
          "price": "101",
          "size": "0.5",
          "taker_side": "buy",
          "executed_at": "2026-11-02T09:00:00.000Z",
          "sequence": 63,
          "maker_account_id": "acc_00000000001",
          "taker_account_id": "acc_00000000002",
          "maker_order_id": "ord_00000000001",
          "taker_order_id": "ord_00000000002",
          "maker_fee": "0",
          "taker_fee": "0"
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /admin/transfers": {
    "200": {
      "data": [
        {
          "transfer_id": "trf_00000000001",
          "wallet_id": "wlt_00000000001",
          "direction": "out",
          "status": "pending",
          "reason": null,
          "asset": "ETH",
          "amount": "1",
          "fee": "0.000042",
          "fee_asset": "ETH",
          "source": {
            "type": "wallet",
            "wallet_id": "wlt_00000000001"
          },
          "destination": {
            "type": "address",
            "chain": "ethereum",
            "address": "0x6ba914a9759a568ebf8a3b173c82e0d7e55df1dd"
          },
          "tx_hash": null,
          "confirmations": null,
          "client_transfer_id": null,
          "created_at": "2026-11-02T09:00:00.000Z",
          "updated_at": "2026-11-02T09:01:00.000Z",
          "requested_by": "user:2",
          "held": "account_frozen"
        }
      ],
      "next_cursor": null
    }
  },
  "GET /admin/users": {
    "200": {
      "data": [
        {
          "id": 4,
          "person": "user:4",
          "username": "zoe",
          "first_name": "Zoe",
          "last_name": "Quinn",
          "email": "quinn@example.com",
          "phone": null,
          "status": "active",
          "operator": false,
          "roles": [],
          "identity_roles": [],
          "created_at": "2026-11-02T09:00:00.000Z"
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /admin/webhooks": {
    "200": {
      "data": [
        {
          "webhook_id": "whk_00000000001",
          "url": "https://tradepost.example/hook-14",
          "ordered": false,
          "event_types": [
            "news.published",
            "news.updated",
            "news.removed"
          ],
          "filter": {
            "symbols": [
              "ETH-USD",
              "BTC-USD"
            ]
          },
          "credential": {
            "kind": "client",
            "id": "demo"
          },
          "disabled": false,
          "disabled_reason": null,
          "disabled_at": null,
          "failing_since": null,
          "previous_secret_until": null,
          "created_at": "2026-11-02T09:00:00.000Z",
          "updated_at": "2026-11-02T09:00:00.000Z",
          "owner": "client:demo"
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /admin/webhooks/{webhook_id}/deliveries": {
    "200": {
      "data": [
        {
          "delivery_id": "whd_00000000001",
          "event_id": "evt_00000000001",
          "event_type": "news.published",
          "status": "failed",
          "attempts_made": 10,
          "next_attempt_at": null,
          "created_at": "2026-11-02T09:00:00.000Z",
          "updated_at": "2026-11-02T09:01:00.000Z",
          "last_response_status": 503,
          "last_error": null
        }
      ],
      "next_cursor": null
    }
  },
  "GET /assets": {
    "200": {
      "data": [
        {
          "code": "ETH",
          "scale": 18,
          "name": "Ether",
          "kind": "crypto",
          "deposits": true,
          "withdrawals": true,
          "chains": [
            {
              "chain": "ethereum",
              "deposit_minimum": "0.01",
              "confirmations": 1
            }
          ]
        }
      ],
      "next_cursor": null
    }
  },
  "GET /auth/api-keys": {
    "200": {
      "data": [
        {
          "api_key_id": "key_00000000001",
          "name": "Bot",
          "prefix": "tpk_exam",
          "signing": null,
          "scopes": [
            "account:read"
          ],
          "account_id": null,
          "allowed_addresses": null,
          "markets": [
            "BTC-USD"
          ],
          "created_at": "2026-11-02T09:00:00.000Z",
          "expires_at": null,
          "last_used_at": "2026-11-02T09:02:00.000Z",
          "previous_expires_at": "2026-11-02T09:03:00.000Z",
          "previous_last_used_at": "2026-11-02T09:01:00.000Z"
        }
      ],
      "next_cursor": null
    }
  },
  "GET /auth/clients": {
    "200": {
      "data": [
        {
          "client_id": "cli_00000000001",
          "name": "App",
          "public": false,
          "prefix": "tps_exam",
          "grant_types": [
            "authorization_code",
            "refresh_token"
          ],
          "redirect_uris": [
            "https://app.example.com/callback"
          ],
          "scopes": [
            "account:read",
            "read:pets"
          ],
          "created_at": "2026-11-02T09:00:00.000Z",
          "last_used_at": null
        }
      ],
      "next_cursor": null
    }
  },
  "GET /auth/signing-keys": {
    "200": {
      "data": [
        {
          "signing_key_id": "key_00000000001",
          "name": "Listed",
          "public_key": "3xsXnSMDN+MvO2lumGeh9i4Bi95eACtPSOFQ1X5732M=",
          "scopes": [
            "account:read",
            "markets:trade"
          ],
          "account_id": null,
          "allowed_addresses": null,
          "markets": [
            "BTC-USD"
          ],
          "created_at": "2026-11-02T09:00:00.000Z",
          "expires_at": null,
          "last_used_at": null,
          "previous_expires_at": null,
          "previous_last_used_at": null
        }
      ],
      "next_cursor": null
    }
  },
  "GET /blog/categories": {
    "200": {
      "data": [
        {
          "slug": "news",
          "name": "News",
          "post_count": 1
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /blog/pages/{slug}": {
    "200": {
      "slug": "unicorn-page-2",
      "url": "https://tradepost.example/blog/pages/unicorn-page-2",
      "title": "Unicorn page",
      "updated_at": "2026-11-02T09:00:00.000Z",
      "html": "<p>Some <em>words</em>.</p>"
    }
  },
  "GET /blog/posts": {
    "200": {
      "data": [
        {
          "post_id": "pst_00000000001",
          "slug": "unicorn-secret-4",
          "url": "https://tradepost.example/blog/posts/unicorn-secret-4",
          "title": "Unicorn secret",
          "excerpt": "The unicorn text.",
          "feature_image": null,
          "status": "published",
          "updated_at": "2026-11-02T09:00:00.000Z",
          "reading_time": 1,
          "category": {
            "slug": "unicorns",
            "name": "Unicorns"
          },
          "tags": [
            {
              "slug": "unicorn-tag",
              "name": "Unicorn tag"
            }
          ],
          "author": {
            "slug": "unicorn-author",
            "name": "Unicorn Author"
          },
          "html": "<p>The unicorn text.</p>",
          "published_at": "2026-11-02T09:01:00.000Z"
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /blog/posts/{slug}": {
    "200": {
      "post_id": "pst_00000000001",
      "slug": "fees-rebates",
      "url": "https://tradepost.example/blog/posts/fees-rebates",
      "title": "Fees & “rebates”",
      "excerpt": "Makers pay nothing. More",
      "feature_image": "https://tradepost.example/blog/images/picture.png",
      "status": "published",
      "updated_at": "2026-11-02T09:01:00.000Z",
      "reading_time": 1,
      "category": {
        "slug": "product-news",
        "name": "Product news"
      },
      "tags": [
        {
          "slug": "fees",
          "name": "Fees"
        }
      ],
      "author": {
        "slug": "ada-lovelace",
        "name": "Ada Lovelace"
      },
      "html": "<p>Makers pay <em>nothing</em>.</p>\n<p><a href=\"https://tradepost.example/blog/posts/how-an-order-book-works\">More</a></p>",
      "published_at": "2026-11-02T09:00:00.000Z"
    }
  },
  "GET /chat/messages": {
    "200": {
      "data": [
        {
          "message_id": "msg_00000000001",
          "room_id": "rom_00000000001",
          "sequence": 3,
          "author": "alice",
          "text": "secret0000000000P two",
          "client_message_id": null,
          "parent_id": null,
          "reply_count": 0,
          "reactions": [
            {
              "emoji": "👍",
              "count": 1,
              "mine": false
            }
          ],
          "created_at": "2026-11-02T09:00:00.000Z",
          "edited_at": "2026-11-02T09:01:00.000Z",
          "deleted_at": null
        }
      ],
      "next_cursor": null
    }
  },
  "GET /chat/rooms": {
    "200": {
      "data": [
        {
          "room_id": "rom_00000000001",
          "name": "Room 34",
          "type": "private",
          "sequence": 107,
          "members_count": 2,
          "last_message": {
            "message_id": "msg_00000000001",
            "room_id": "rom_00000000001",
            "sequence": 107,
            "author": "alice",
            "text": "more 100",
            "client_message_id": null,
            "parent_id": null,
            "reply_count": 0,
            "reactions": [],
            "created_at": "2026-11-02T09:02:00.000Z",
            "edited_at": null,
            "deleted_at": null
          },
          "unread_count": 0,
          "membership": {
            "member": "alice",
            "role": "owner",
            "muted_until": null,
            "read_sequence": 107,
            "joined_at": "2026-11-02T09:01:00.000Z",
            "notifications_muted": false
          },
          "created_at": "2026-11-02T09:00:00.000Z"
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /chat/rooms/{room_id}": {
    "200": {
      "room_id": "rom_00000000001",
      "name": "Room 25",
      "type": "public",
      "sequence": 5,
      "members_count": 3,
      "last_message": {
        "message_id": "msg_00000000001",
        "room_id": "rom_00000000001",
        "sequence": 5,
        "author": "client:demo",
        "text": "before",
        "client_message_id": null,
        "parent_id": null,
        "reply_count": 0,
        "reactions": [],
        "created_at": "2026-11-02T09:02:00.000Z",
        "edited_at": null,
        "deleted_at": null
      },
      "unread_count": 0,
      "membership": {
        "member": "client:demo",
        "role": "member",
        "muted_until": "2026-11-02T09:03:00.000Z",
        "read_sequence": 5,
        "joined_at": "2026-11-02T09:01:00.000Z",
        "notifications_muted": false
      },
      "created_at": "2026-11-02T09:00:00.000Z"
    }
  },
  "GET /chat/rooms/{room_id}/events": {
    "200": {
      "data": [
        {
          "type": "message.updated",
          "room_id": "rom_00000000001",
          "sequence": 30,
          "created_at": "2026-11-02T09:01:00.000Z",
          "data": {
            "message_id": "msg_00000000001",
            "room_id": "rom_00000000001",
            "sequence": 6,
            "author": "alice",
            "text": "edit 1",
            "client_message_id": "0",
            "parent_id": null,
            "reply_count": 1,
            "reactions": [
              {
                "emoji": "❤️",
                "count": 1
              }
            ],
            "created_at": "2026-11-02T09:00:00.000Z",
            "edited_at": "2026-11-02T09:01:00.000Z",
            "deleted_at": null
          }
        }
      ],
      "next_cursor": null
    }
  },
  "GET /chat/rooms/{room_id}/members": {
    "200": {
      "data": [
        {
          "member": "client:demo",
          "role": "member",
          "muted_until": null,
          "read_sequence": 3,
          "joined_at": "2026-11-02T09:00:00.000Z"
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /chat/rooms/{room_id}/messages": {
    "200": {
      "data": [
        {
          "message_id": "msg_00000000001",
          "room_id": "rom_00000000001",
          "sequence": 7,
          "author": "client:demo",
          "text": "same",
          "client_message_id": "1",
          "parent_id": null,
          "reply_count": 0,
          "reactions": [
            {
              "emoji": "👍",
              "count": 1,
              "mine": false
            }
          ],
          "created_at": "2026-11-02T09:00:00.000Z",
          "edited_at": null,
          "deleted_at": null
        }
      ],
      "next_cursor": null
    }
  },
  "GET /chat/rooms/{room_id}/messages/{message_id}": {
    "200": {
      "message_id": "msg_00000000001",
      "room_id": "rom_00000000001",
      "sequence": 3,
      "author": "alice",
      "text": "popular",
      "client_message_id": null,
      "parent_id": null,
      "reply_count": 0,
      "reactions": [
        {
          "emoji": "🐀",
          "count": 1,
          "mine": true
        }
      ],
      "created_at": "2026-11-02T09:00:00.000Z",
      "edited_at": null,
      "deleted_at": null
    }
  },
  "GET /event-groups": {
    "200": {
      "data": [
        {
          "event_group_id": "CUP",
          "title": "Who wins?",
          "market_ids": [
            "RED",
            "GREEN",
            "BLUE"
          ],
          "winning_market_id": null,
          "created_at": "2026-11-02T09:00:00.000Z"
        }
      ],
      "next_cursor": null
    }
  },
  "GET /event-groups/{event_group_id}": {
    "200": {
      "event_group_id": "CUP",
      "title": "Who wins?",
      "market_ids": [
        "RED",
        "GREEN",
        "BLUE"
      ],
      "winning_market_id": null,
      "created_at": "2026-11-02T09:00:00.000Z"
    }
  },
  "GET /health": {
    "200": {
      "status": "ok",
      "checks": [
        {
          "name": "database",
          "healthy": true,
          "detail": "answered in 0 ms"
        }
      ]
    }
  },
  "GET /health/live": {
    "200": {
      "status": "ok"
    }
  },
  "GET /health/ready": {
    "200": {
      "status": "ok"
    }
  },
  "GET /journal/head": {
    "200": {
      "time": "2026-11-02T09:00:00.000Z",
      "height": 10,
      "key_id": "bd8e28f7b73c3af29c60eff5a7ca51b4",
      "sequence": 43,
      "root_hash": "03f7b7d34c32bb4cc5c2d182bc9b79a822324fb485e2a0139c779cfa848dcf62",
      "signature": "QZZ4T63ADK4Hbs7/loRl6IvhQf/cja9uYOawqRH3vuIEbTM7V+M8o1CnVzfTUSuK6G8XuHNCwmgvzbT2xfca6w==",
      "tree_size": 10,
      "chain_hash": "700eae7f6717a3fa734e877b98b955e093ff5ac5eb933ac9ded0e3d8323caf37",
      "state_hash": "a444581ab0af1ad5e94f3e8ba600541bbe62b823e657b920be0b8bd3fa079b24",
      "public_state_hash": "06a8c21cfff9833635d031e3b8098ee4f259bd45b9d4ef295d4ee25d86ffabb9"
    }
  },
  "GET /journal/heads": {
    "200": {
      "data": [
        {
          "time": "2026-11-02T09:00:00.000Z",
          "height": 10,
          "key_id": "bd8e28f7b73c3af29c60eff5a7ca51b4",
          "sequence": 43,
          "root_hash": "03f7b7d34c32bb4cc5c2d182bc9b79a822324fb485e2a0139c779cfa848dcf62",
          "signature": "QZZ4T63ADK4Hbs7/loRl6IvhQf/cja9uYOawqRH3vuIEbTM7V+M8o1CnVzfTUSuK6G8XuHNCwmgvzbT2xfca6w==",
          "tree_size": 10,
          "chain_hash": "700eae7f6717a3fa734e877b98b955e093ff5ac5eb933ac9ded0e3d8323caf37",
          "state_hash": "a444581ab0af1ad5e94f3e8ba600541bbe62b823e657b920be0b8bd3fa079b24",
          "public_state_hash": "06a8c21cfff9833635d031e3b8098ee4f259bd45b9d4ef295d4ee25d86ffabb9"
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /journal/keys": {
    "200": {
      "data": [
        {
          "key_id": "bd8e28f7b73c3af29c60eff5a7ca51b4",
          "public_key": "3xsXnSMDN+MvO2lumGeh9i4Bi95eACtPSOFQ1X5732M=",
          "activated_at": "2026-11-02T09:00:00.000Z",
          "previous_key_id": "6be402f21d1a9407c0ce21d211426b32",
          "handover_signature": "68BAoUyEx0R50b2/sSfRsQAjyBxB2CtJVkes/wBta0sH2T5nc3Mzn4opxpmHarMqwnnob+R5+ZSxzJfEe6uhpA==",
          "own_signature": "fEJdSgxundLu64jW2s33hR8QKrn7FTNFQ3a4oo89VQgDCP/OzHgRm8CMrfNtvAkZy4k8totG56TGAhW44u4xZA=="
        }
      ]
    }
  },
  "GET /journal/proofs/consistency": {
    "200": {
      "first": 13,
      "second": 14,
      "proof": [
        "7f84a8eede3609dcfe6e7705cf0c56a4f369bdc723f9636eca3382bb855fb955",
        "7f84a8eede3609dcfe6e7705cf0c56a4f369bdc723f9636eca3382bb855fb955",
        "7f84a8eede3609dcfe6e7705cf0c56a4f369bdc723f9636eca3382bb855fb955"
      ]
    }
  },
  "GET /journal/proofs/inclusion": {
    "200": {
      "height": 1,
      "tree_size": 14,
      "leaf": "IOMl8GKA+dDRk/7QGg7aW+95Bj8uYC2T42BcvoJdlq0zL920gl05WPrUdIv8RcaMEcuCuZDsXhjvv1TYU5/760usV99m/mNoGI0dRSG8/67O52oDpQ/yl6E0OfcWTeCl8ym5liNVdWKcOC03mDC2rHkV0u5fWj6iGeYUqXaqp2wIUDbVQV/YnyLFk/OnoQNIrzyHs/E9czc6Qvh2jjd9o+kXfGDp5KKC5qKkjw5AJ6JhHq19T0HVHo2K9KzDibuLhY6U9YUHF9sGvE4L10RDid0R61fK+OYFAsxjMIGmNlENAP8b2WZCOYAJvIK628akKFMrLiifYcK7IgqBSnyyCm7IN3l5CwDPTdNVuola3zaDgVi6o5jw5w/OcBhQPbreJT0MyfPV5M31dJGnKmWDwZqv4BzZFzkh9KjUPe9fkS31S0t4nmPtCo3RUqWwILU+DJ16JSK5NwLCVdKEdXXr6pipIXWG9GwuPiD4JYB3/s73RA5OgXuQxW1/9U2ngYso7XMoKfSQ0evI9slCDI7ZbhGFhPd/krcF+7n8gmmWe0do774uRE3A1Zw6Hc31Sutpg21Z+g2+SjkqsJGfNRjAWTQ=",
      "leaf_hash": "ad1f76456a40d7453220d47aeeecbf2714c517d5af4f31ffe6cecaf4b34944a5",
      "proof": [
        "7f84a8eede3609dcfe6e7705cf0c56a4f369bdc723f9636eca3382bb855fb955",
        "7f84a8eede3609dcfe6e7705cf0c56a4f369bdc723f9636eca3382bb855fb955",
        "7f84a8eede3609dcfe6e7705cf0c56a4f369bdc723f9636eca3382bb855fb955"
      ]
    }
  },
  "GET /journal/public": {
    "200": {
      "data": [
        {
          "leaf": {
            "height": 18,
            "first_sequence": 51,
            "last_sequence": 54,
            "time": "2026-11-02T09:00:00.000Z",
            "engine_version": 3,
            "previous_hash": "607d5d083d00115971476c6c49c755f08b18760faab297222d3d1bb9cb3c8120",
            "chain_hash": "700eae7f6717a3fa734e877b98b955e093ff5ac5eb933ac9ded0e3d8323caf37",
            "state_hash": "a444581ab0af1ad5e94f3e8ba600541bbe62b823e657b920be0b8bd3fa079b24",
            "statements": {
              "count": 3,
              "root_hash": "03f7b7d34c32bb4cc5c2d182bc9b79a822324fb485e2a0139c779cfa848dcf62"
            },
            "public": {
              "hash": "321ffb8b9f2eb33502c5fc58d2e250565f849757667d0ffd61542dab62eb27db",
              "state_hash": "a444581ab0af1ad5e94f3e8ba600541bbe62b823e657b920be0b8bd3fa079b24"
            }
          },
          "public": {
            "markets": [
              {
                "figures": {
                  "book_sequence": 8,
                  "last_price_ticks": 10100,
                  "open_interest_lots": 0
                },
                "market_id": "BTC-USD",
                "orders": [
                  {
                    "order_id": 49,
                    "price_ticks": 10100,
                    "queue_sequence": 49,
                    "side": "sell",
                    "size_lots": 1500000,
                    "trader": "189b7e2f09ea80ed"
                  }
                ],
                "trades": [
                  {
                    "book_sequence": 8,
                    "maker": "189b7e2f09ea80ed",
                    "maker_order_id": 49,
                    "price_ticks": 10100,
                    "size_lots": 500000,
                    "skips_own": false,
                    "taker": "99c923ae23ceb1fb",
                    "taker_order_id": 51,
                    "taker_side": "buy",
                    "trade_id": 52
                  }
                ]
              }
            ]
          }
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /kyc": {
    "200": {
      "data": [
        {
          "kyc_id": "kyc_00000000001",
          "status": "rejected",
          "level": 0,
          "reasons": [
            {
              "code": "requirements_not_met",
              "message": "Submit a new case that meets the requirements."
            }
          ],
          "requirements": [
            {
              "field": "document.mrz",
              "code": "mrz_unreadable",
              "message": "Copy the lines once more: two of 44 or 36 characters, or three of 30, with every < in them."
            }
          ],
          "person": {
            "name": "A*** E***",
            "document_type": "passport",
            "document_number": "***552"
          },
          "document_expires_on": "2026-11-02",
          "created_at": "2026-11-02T09:00:00.000Z",
          "updated_at": "2026-11-02T09:01:00.000Z",
          "decided_at": "2026-11-02T09:01:00.000Z"
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /kyc/{kyc_id}": {
    "200": {
      "kyc_id": "kyc_00000000001",
      "status": "rejected",
      "level": 0,
      "reasons": [
        {
          "code": "fake",
          "message": "Send a real document."
        }
      ],
      "requirements": [],
      "person": {
        "name": "A*** E***",
        "document_type": "passport",
        "document_number": "***485"
      },
      "document_expires_on": "2026-11-02",
      "created_at": "2026-11-02T09:00:00.000Z",
      "updated_at": "2026-11-02T09:01:00.000Z",
      "decided_at": "2026-11-02T09:01:00.000Z"
    }
  },
  "GET /kyc/{kyc_id}/history": {
    "200": {
      "data": [
        {
          "status": "approved",
          "level": 1,
          "changed_by": "operator",
          "code": "operator_decision",
          "reason": "Document and data agree.",
          "changed_at": "2026-11-02T09:00:00.000Z"
        }
      ]
    }
  },
  "GET /liabilities": {
    "200": {
      "as_of": "2026-11-02T09:00:00.000Z",
      "sequence": 66,
      "root_hash": "03f7b7d34c32bb4cc5c2d182bc9b79a822324fb485e2a0139c779cfa848dcf62",
      "totals": [
        {
          "asset": "BTC",
          "amount": "2000",
          "in_pools": "0"
        }
      ],
      "assets_shown": [
        {
          "name": "ethereum",
          "asset": "DAI",
          "block": 1,
          "amount": "0",
          "source": "chain",
          "reconciled": true,
          "observed_at": "2026-11-02T09:01:00.000Z"
        }
      ],
      "key_id": "bd8e28f7b73c3af29c60eff5a7ca51b4",
      "signature": "QZZ4T63ADK4Hbs7/loRl6IvhQf/cja9uYOawqRH3vuIEbTM7V+M8o1CnVzfTUSuK6G8XuHNCwmgvzbT2xfca6w=="
    }
  },
  "GET /liabilities/cuts": {
    "200": {
      "data": [
        {
          "as_of": "2026-11-02T09:00:00.000Z",
          "sequence": 676,
          "root_hash": "03f7b7d34c32bb4cc5c2d182bc9b79a822324fb485e2a0139c779cfa848dcf62",
          "totals": [
            {
              "asset": "BTC",
              "amount": "2000",
              "in_pools": "0"
            }
          ],
          "assets_shown": [
            {
              "name": null,
              "asset": "BTC",
              "block": null,
              "amount": null,
              "source": "none",
              "reconciled": false,
              "observed_at": null
            }
          ],
          "key_id": "bd8e28f7b73c3af29c60eff5a7ca51b4",
          "signature": "QZZ4T63ADK4Hbs7/loRl6IvhQf/cja9uYOawqRH3vuIEbTM7V+M8o1CnVzfTUSuK6G8XuHNCwmgvzbT2xfca6w=="
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /markets": {
    "200": {
      "data": [
        {
          "market_id": "DATA-13",
          "kind": "spot",
          "title": "DATA-13",
          "description": "",
          "category": "",
          "status": "open",
          "base_asset": "BTC",
          "quote_asset": "USD",
          "tick_size": "0.01",
          "lot_size": "0.001",
          "min_size": "0.001",
          "max_size": "1000000000.01",
          "min_notional": "0",
          "price_min": "0.01",
          "price_max": "999999999.99",
          "market_order_band": "20",
          "maker_fee_rate": "0",
          "taker_fee_rate": "0",
          "opens_at": null,
          "closes_at": null,
          "settlement_value": null,
          "settled_at": null,
          "event_group_id": null,
          "ticker": {
            "best_bid": "80.5",
            "best_ask": "120",
            "last_price": "110",
            "volume_24h": "0.303",
            "high_24h": "110",
            "low_24h": "90",
            "open_interest": null
          }
        }
      ],
      "next_cursor": null
    }
  },
  "GET /markets/{market_id}": {
    "200": {
      "market_id": "DATA-13",
      "kind": "spot",
      "title": "DATA-13",
      "description": "",
      "category": "",
      "status": "open",
      "base_asset": "BTC",
      "quote_asset": "USD",
      "tick_size": "0.01",
      "lot_size": "0.001",
      "min_size": "0.001",
      "max_size": "1000000000.01",
      "min_notional": "0",
      "price_min": "0.01",
      "price_max": "999999999.99",
      "market_order_band": "20",
      "maker_fee_rate": "0",
      "taker_fee_rate": "0",
      "opens_at": null,
      "closes_at": null,
      "settlement_value": null,
      "settled_at": null,
      "event_group_id": null,
      "ticker": {
        "best_bid": "80.5",
        "best_ask": "120",
        "last_price": "110",
        "volume_24h": "0.303",
        "high_24h": "110",
        "low_24h": "90",
        "open_interest": null
      }
    }
  },
  "GET /markets/{market_id}/candles": {
    "200": {
      "data": [
        {
          "start": "2026-11-02T09:00:00.000Z",
          "open": "100",
          "high": "100",
          "low": "100",
          "close": "100",
          "volume": "4"
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /markets/{market_id}/fills": {
    "200": {
      "data": [
        {
          "fill_id": "fil_00000000001",
          "kind": "trade",
          "trade_id": "trd_00000000001",
          "order_id": "ord_00000000001",
          "market_id": "PNL-3",
          "side": "buy",
          "price": "90",
          "size": "2",
          "closed_size": "0",
          "fee": "0.36",
          "fee_asset": "USD",
          "liquidity": "taker",
          "executed_at": "2026-11-02T09:00:00.000Z",
          "sequence": 6,
          "ledger_sequence": 107,
          "position_size": "4",
          "realized_pnl": "0",
          "realized_pnl_fifo": "0"
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /markets/{market_id}/orderbook": {
    "200": {
      "market_id": "DATA-21",
      "sequence": 5,
      "timestamp": "2026-11-02T09:00:00.000Z",
      "bids": [
        [
          "99.99",
          "1.5",
          1
        ],
        [
          "99",
          "2",
          1
        ]
      ],
      "asks": [
        [
          "100.5",
          "1",
          2
        ],
        [
          "101",
          "1",
          1
        ]
      ],
      "checksum": "7faa4a33"
    }
  },
  "GET /markets/{market_id}/settlements": {
    "200": {
      "data": [
        {
          "settlement_value": "0.2",
          "settled_at": "2026-11-02T09:00:00.000Z",
          "ledger_sequence": 55
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /markets/{market_id}/trades": {
    "200": {
      "data": [
        {
          "trade_id": "trd_00000000001",
          "market_id": "PERIODS",
          "price": "100",
          "size": "1",
          "taker_side": "buy",
          "executed_at": "2026-11-02T09:00:00.000Z",
          "sequence": 11
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /markets/{market_id}/trades/{trade_id}/receipt": {
    "200": {
      "statement": {
        "market_id": "BTC-USD",
        "changes": [
          {
            "table": "trades",
            "kind": "append",
            "row": {
              "market_id": "BTC-USD",
              "trade_id": 46,
              "price_ticks": 6100000,
              "size_lots": 2000000,
              "taker_side": "buy",
              "book_sequence": 2,
              "executed_at": 1795705945806
            }
          }
        ]
      },
      "salt": "3973b720f5cdaa2b848cc26f3afd57cb192f9e5f05d8ae680d998e8beeec014b",
      "statement_index": 2,
      "statement_proof": [
        "2f77c43ee60eab9bf1a4ce942e14ee67c43f23417f6186ca323c916c0efaf962"
      ],
      "height": 12,
      "leaf": "IOMl8GKA+dDRk/7QGg7aW+95Bj8uYC2T42BcvoJdlq0zL920gl05WPrUdIv8RcaMEcuCuZDsXhjvv1TYU5/760usV99m/mNoGI0dRSG8/67O52oDpQ/yl6E0OfcWTeCl8ym5liNVdWKcOC03mDC2rHkV0u5fWj6iGeYUqXaqp2wIUDbVQV/YnyLFk/OnoQNIrzyHs/E9czc6Qvh2jjd9o+kXfGDp5KKC5qKkjw5AJ6JhHq19T0HVHo2K9KzDibuLhY6U9YUHF9sGvE4L10RDid0R61fK+OYFAsxjMIGmNlENAP8b2WZCOYAJvIK628akKFMrLiifYcK7IgqBSnyyCm7IN3l5CwDPTdNVuola3zaDgVi6o5jw5w/OcBhQPbreJT0MyfPV5M31dJGnKmWDwZqv4BzZFzkh9KjUPe9fkS31S0t4nmPtCo3RUqWwILU+DJ16JSK5NwLCVdKEdXXr6pipIXWG9GwuPiD4JYB3/s73RA5OgXuQxW1/9U2ngYso7XMoKfSQ0evI9slCDI7ZbhGFhPd/krcF+7n8gmmWe0do774uRE3A1Zw6Hc31Sutpg21Z+g2+SjkqsJGfNRjAWTQf547CPE4vUkxv/7g62WVEMSYRl8vepA/yADK0oBALqD1MoG+MZ4v1Cfwy9dLVcfTf7Nc3OpFxGX/Ay0VZh6eoFVcsDBrhN6Zz81RxeXaQT2bFwWwW9XtxWdHjdH8CEaySAicKahz/nqih02et2FzjC/L34ewER1NzlalhS/Llau3jWY+vPQkkBF14TrbHzrNkk9zZgxb6lboFDXDI7BF2yXmGYhNdUrU=",
      "proof": [
        "7f84a8eede3609dcfe6e7705cf0c56a4f369bdc723f9636eca3382bb855fb955",
        "7f84a8eede3609dcfe6e7705cf0c56a4f369bdc723f9636eca3382bb855fb955",
        "7f84a8eede3609dcfe6e7705cf0c56a4f369bdc723f9636eca3382bb855fb955"
      ],
      "head": {
        "time": "2026-11-02T09:00:00.000Z",
        "height": 12,
        "key_id": "bd8e28f7b73c3af29c60eff5a7ca51b4",
        "sequence": 48,
        "root_hash": "03f7b7d34c32bb4cc5c2d182bc9b79a822324fb485e2a0139c779cfa848dcf62",
        "signature": "QZZ4T63ADK4Hbs7/loRl6IvhQf/cja9uYOawqRH3vuIEbTM7V+M8o1CnVzfTUSuK6G8XuHNCwmgvzbT2xfca6w==",
        "tree_size": 12,
        "chain_hash": "700eae7f6717a3fa734e877b98b955e093ff5ac5eb933ac9ded0e3d8323caf37",
        "state_hash": "a444581ab0af1ad5e94f3e8ba600541bbe62b823e657b920be0b8bd3fa079b24",
        "public_state_hash": "06a8c21cfff9833635d031e3b8098ee4f259bd45b9d4ef295d4ee25d86ffabb9"
      }
    }
  },
  "GET /matched-bets": {
    "200": {
      "data": [
        {
          "matched_bet_id": "mbt_00000000001",
          "quote_id": "qte_00000000001",
          "order_id": "ord_00000000001",
          "account_id": "acc_00000000001",
          "side": "back",
          "market_id": "BETS-32",
          "size": "5",
          "average_price": "0.4",
          "notional": "2",
          "fee": "0",
          "total": "2",
          "odds": "2.5",
          "stake": "2",
          "liability": "2",
          "payout": "5",
          "created_at": "2026-11-02T09:00:00.000Z",
          "sequence": 6
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /matched-bets/{matched_bet_id}": {
    "200": {
      "matched_bet_id": "mbt_00000000001",
      "quote_id": "qte_00000000001",
      "order_id": "ord_00000000001",
      "account_id": "acc_00000000001",
      "side": "back",
      "market_id": "BETS-37",
      "size": "10",
      "average_price": "0.4",
      "notional": "4",
      "fee": "0",
      "total": "4",
      "odds": "2.5",
      "stake": "4",
      "liability": "4",
      "payout": "10",
      "created_at": "2026-11-02T09:00:00.000Z",
      "sequence": 2,
      "fills": [
        {
          "fill_id": "fil_00000000001",
          "trade_id": "trd_00000000001",
          "order_id": "ord_00000000001",
          "market_id": "BETS-37",
          "side": "buy",
          "price": "0.4",
          "size": "10",
          "fee": "0",
          "fee_asset": "USD",
          "liquidity": "taker",
          "executed_at": "2026-11-02T09:00:00.000Z",
          "sequence": 2
        }
      ]
    }
  },
  "GET /news": {
    "200": {
      "data": [
        {
          "news_id": "nws_00000000001",
          "headline": "Ether & bitcoin up: giraffe",
          "summary": "In short",
          "content": "<p>In <em>full</em>, <a href=\"https://example.com/more\">more</a>.</p>",
          "author": "Ada Lovelace",
          "url": "https://example.com/story?from=rss",
          "source": "127.0.0.1",
          "category": "network-fees",
          "symbols": [
            "BTC-USD",
            "RAIN-LISBON"
          ],
          "language": "en",
          "published_at": "2026-11-02T09:00:00.000Z",
          "updated_at": "2026-11-02T09:01:00.000Z"
        }
      ],
      "next_cursor": null
    }
  },
  "GET /news/webhooks": {
    "200": {
      "data": [
        {
          "webhook_id": "whk_00000000001",
          "url": "https://tradepost.example/hook-0",
          "ordered": false,
          "event_types": [
            "news.published"
          ],
          "filter": {
            "q": "fees",
            "symbols": [
              "BTC-USD"
            ]
          },
          "credential": {
            "kind": "client",
            "id": "demo"
          },
          "disabled": false,
          "disabled_reason": null,
          "disabled_at": null,
          "failing_since": null,
          "previous_secret_until": null,
          "created_at": "2026-11-02T09:00:00.000Z",
          "updated_at": "2026-11-02T09:00:00.000Z"
        }
      ],
      "next_cursor": null
    }
  },
  "GET /news/webhooks/{webhook_id}": {
    "200": {
      "webhook_id": "whk_00000000001",
      "url": "https://tradepost.example/hook-56",
      "ordered": false,
      "event_types": [
        "news.published",
        "news.updated",
        "news.removed"
      ],
      "filter": {},
      "credential": {
        "kind": "grant",
        "id": "cli_00000000001"
      },
      "disabled": true,
      "disabled_reason": "credential",
      "disabled_at": "2026-11-02T09:01:00.000Z",
      "failing_since": null,
      "previous_secret_until": null,
      "created_at": "2026-11-02T09:00:00.000Z",
      "updated_at": "2026-11-02T09:01:00.000Z"
    }
  },
  "GET /news/webhooks/{webhook_id}/deliveries": {
    "200": {
      "data": [
        {
          "delivery_id": "whd_00000000001",
          "event_id": "evt_00000000001",
          "event_type": "webhook.test",
          "status": "pending",
          "attempts_made": 0,
          "next_attempt_at": "2026-11-02T09:00:00.000Z",
          "created_at": "2026-11-02T09:01:00.000Z",
          "updated_at": "2026-11-02T09:01:00.000Z"
        }
      ],
      "next_cursor": null
    }
  },
  "GET /news/webhooks/{webhook_id}/deliveries/{delivery_id}": {
    "200": {
      "delivery_id": "whd_00000000001",
      "event_id": "evt_00000000001",
      "event_type": "news.published",
      "status": "pending",
      "attempts_made": 1,
      "next_attempt_at": "2026-11-02T09:03:00.000Z",
      "created_at": "2026-11-02T09:00:00.000Z",
      "updated_at": "2026-11-02T09:02:00.000Z",
      "payload": "{\"type\":\"news.published\",\"timestamp\":\"2026-11-23T21:10:03.516Z\",\"data\":{\"news_id\":\"nws_00000000001\",\"headline\":\"Fees fall, part …",
      "attempts": [
        {
          "number": 1,
          "started_at": "2026-11-02T09:01:00.000Z",
          "duration_ms": 9,
          "response_status": 307,
          "response_body": "",
          "error": null
        }
      ]
    }
  },
  "GET /news/webhooks/{webhook_id}/events": {
    "200": {
      "data": [
        {
          "event_id": "evt_00000000001",
          "type": "news.published",
          "timestamp": "2026-11-02T09:01:00.000Z",
          "data": {
            "news_id": "nws_00000000001",
            "headline": "Fees fall, part 22",
            "summary": "",
            "author": null,
            "url": null,
            "source": "Tradepost",
            "category": null,
            "symbols": [],
            "language": null,
            "published_at": "2026-11-02T09:00:00.000Z",
            "updated_at": "2026-11-02T09:00:00.000Z"
          }
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ",
      "has_more": true
    }
  },
  "GET /news/{news_id}": {
    "200": {
      "news_id": "nws_00000000001",
      "headline": "Fees & “rebates” < yesterday",
      "summary": "In short.",
      "content": "<p>See <a href=\"https://tradepost.example/docs\">the docs</a>.</p>",
      "author": "Ada Lovelace",
      "url": "https://example.com/fees?x=1",
      "source": "Example Times",
      "category": "network-fees",
      "symbols": [
        "BTC-USD",
        "ETH-USD"
      ],
      "language": "en",
      "published_at": "2026-11-02T09:00:00.000Z",
      "updated_at": "2026-11-02T09:01:00.000Z"
    }
  },
  "GET /oauth/userinfo": {
    "200": {
      "sub": "user:2",
      "username": "alice",
      "scope": "markets:trade account:read wallets:read wallets:write wallets:sign banking:read banking:write news:webhooks chat:read chat:write read:pets write:pets store:write",
      "account_id": "acc_00000000001"
    }
  },
  "GET /order-lists": {
    "200": {
      "data": [
        {
          "order_list_id": "olt_00000000001",
          "client_order_list_id": null,
          "account_id": "acc_00000000001",
          "market_id": "LIST-10",
          "type": "bracket",
          "status": "done",
          "orders": [
            {
              "order_id": "ord_00000000001",
              "account_id": "acc_00000000001",
              "client_order_id": null,
              "market_id": "LIST-10",
              "side": "buy",
              "type": "limit",
              "time_in_force": "GTC",
              "price": "100",
              "stop_price": null,
              "best_price": null,
              "trigger": null,
              "size": "2",
              "quote_size": null,
              "display_size": null,
              "order_list_id": "olt_00000000001",
              "origin": null,
              "trailing_offset": null,
              "trailing_percent": null,
              "expires_at": null,
              "post_only": false,
              "reduce_only": false,
              "self_trade_prevention": "cancel_newest",
              "status": "cancelled",
              "status_reason": "requested",
              "filled_size": "0.5",
              "remaining_size": "1.5",
              "average_fill_price": "100",
              "fees": "0",
              "created_at": "2026-11-02T09:00:00.000Z",
              "updated_at": "2026-11-02T09:01:00.000Z",
              "sequence": 3
            }
          ],
          "created_at": "2026-11-02T09:00:00.000Z"
        }
      ],
      "next_cursor": null
    }
  },
  "GET /order-lists/{order_list_id}": {
    "200": {
      "order_list_id": "olt_00000000001",
      "client_order_list_id": null,
      "account_id": "acc_00000000001",
      "market_id": "LIST-4",
      "type": "oco",
      "status": "done",
      "orders": [
        {
          "order_id": "ord_00000000001",
          "account_id": "acc_00000000001",
          "client_order_id": null,
          "market_id": "LIST-4",
          "side": "sell",
          "type": "stop",
          "time_in_force": "GTC",
          "price": null,
          "stop_price": "90",
          "best_price": null,
          "trigger": "last",
          "size": "1",
          "quote_size": null,
          "display_size": null,
          "order_list_id": "olt_00000000001",
          "origin": null,
          "trailing_offset": null,
          "trailing_percent": null,
          "expires_at": null,
          "post_only": false,
          "reduce_only": false,
          "self_trade_prevention": "cancel_newest",
          "status": "filled",
          "status_reason": null,
          "filled_size": "1",
          "remaining_size": "0",
          "average_fill_price": "80",
          "fees": "0.08",
          "created_at": "2026-11-02T09:00:00.000Z",
          "updated_at": "2026-11-02T09:01:00.000Z",
          "sequence": 4
        }
      ],
      "created_at": "2026-11-02T09:00:00.000Z"
    }
  },
  "GET /orders": {
    "200": {
      "data": [
        {
          "order_id": "ord_00000000001",
          "account_id": "acc_00000000001",
          "client_order_id": null,
          "market_id": "QUOTED-4-B",
          "side": "buy",
          "type": "limit",
          "time_in_force": "GTC",
          "price": "99",
          "stop_price": null,
          "best_price": null,
          "trigger": null,
          "size": "5",
          "quote_size": null,
          "display_size": null,
          "order_list_id": null,
          "origin": "mass_quote",
          "trailing_offset": null,
          "trailing_percent": null,
          "expires_at": null,
          "post_only": true,
          "reduce_only": false,
          "self_trade_prevention": "cancel_newest",
          "status": "cancelled",
          "status_reason": "maker_protection",
          "filled_size": "1",
          "remaining_size": "4",
          "average_fill_price": "99",
          "fees": "0",
          "created_at": "2026-11-02T09:00:00.000Z",
          "updated_at": "2026-11-02T09:01:00.000Z",
          "sequence": 2
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /orders/cancel-after": {
    "200": {
      "account_id": "acc_00000000001",
      "triggers_at": "2026-11-02T09:00:00.000Z"
    }
  },
  "GET /orders/{order_id}": {
    "200": {
      "order_id": "ord_00000000001",
      "account_id": "acc_00000000001",
      "client_order_id": null,
      "market_id": "TEST-9",
      "side": "buy",
      "type": "stop_limit",
      "time_in_force": "GTC",
      "price": "107",
      "stop_price": "106",
      "best_price": null,
      "trigger": "last",
      "size": "1",
      "quote_size": null,
      "display_size": null,
      "order_list_id": null,
      "origin": null,
      "trailing_offset": null,
      "trailing_percent": null,
      "expires_at": null,
      "post_only": false,
      "reduce_only": false,
      "self_trade_prevention": "cancel_newest",
      "status": "partially_filled",
      "status_reason": null,
      "filled_size": "0.5",
      "remaining_size": "0.5",
      "average_fill_price": "106",
      "fees": "0",
      "created_at": "2026-11-02T09:00:00.000Z",
      "updated_at": "2026-11-02T09:01:00.000Z",
      "sequence": 6,
      "fills": [
        {
          "fill_id": "fil_00000000001",
          "trade_id": "trd_00000000001",
          "order_id": "ord_00000000001",
          "market_id": "TEST-9",
          "side": "buy",
          "price": "106",
          "size": "0.5",
          "fee": "0",
          "fee_asset": "USD",
          "liquidity": "taker",
          "executed_at": "2026-11-02T09:01:00.000Z",
          "sequence": 6
        }
      ]
    }
  },
  "GET /orders/{order_id}/receipt": {
    "200": {
      "statement": {
        "account_id": 13,
        "changes": [
          {
            "table": "orders",
            "kind": "insert",
            "row": {
              "account_id": 13,
              "order_id": 45,
              "price_ticks": 6100000,
              "size_lots": 5000000,
              "filled_lots": 2000000,
              "remaining_lots": 3000000,
              "filled_notional": "1220000000000000000000",
              "fees": "0",
              "fee_rounding": "0",
              "held": "1830000000000000000000",
              "status": "partially_filled",
              "status_reason": null,
              "queue_sequence": 45,
              "book_sequence": 2,
              "updated_at": 1795705945806,
              "market_id": "BTC-USD",
              "client_order_id": null,
              "side": "buy",
              "type": "limit",
              "time_in_force": "GTC",
              "stop_price_ticks": null,
              "maker_fee_rate": null,
              "taker_fee_rate": null,
              "post_only": false,
              "reduce_only": false,
              "self_trade_prevention": "cancel_newest",
              "expires_at": null,
              "created_at": 1795705945806
            }
          }
        ]
      },
      "salt": "3973b720f5cdaa2b848cc26f3afd57cb192f9e5f05d8ae680d998e8beeec014b",
      "statement_index": 0,
      "statement_proof": [
        "2f77c43ee60eab9bf1a4ce942e14ee67c43f23417f6186ca323c916c0efaf962",
        "2f77c43ee60eab9bf1a4ce942e14ee67c43f23417f6186ca323c916c0efaf962"
      ],
      "height": 12,
      "leaf": "IOMl8GKA+dDRk/7QGg7aW+95Bj8uYC2T42BcvoJdlq0zL920gl05WPrUdIv8RcaMEcuCuZDsXhjvv1TYU5/760usV99m/mNoGI0dRSG8/67O52oDpQ/yl6E0OfcWTeCl8ym5liNVdWKcOC03mDC2rHkV0u5fWj6iGeYUqXaqp2wIUDbVQV/YnyLFk/OnoQNIrzyHs/E9czc6Qvh2jjd9o+kXfGDp5KKC5qKkjw5AJ6JhHq19T0HVHo2K9KzDibuLhY6U9YUHF9sGvE4L10RDid0R61fK+OYFAsxjMIGmNlENAP8b2WZCOYAJvIK628akKFMrLiifYcK7IgqBSnyyCm7IN3l5CwDPTdNVuola3zaDgVi6o5jw5w/OcBhQPbreJT0MyfPV5M31dJGnKmWDwZqv4BzZFzkh9KjUPe9fkS31S0t4nmPtCo3RUqWwILU+DJ16JSK5NwLCVdKEdXXr6pipIXWG9GwuPiD4JYB3/s73RA5OgXuQxW1/9U2ngYso7XMoKfSQ0evI9slCDI7ZbhGFhPd/krcF+7n8gmmWe0do774uRE3A1Zw6Hc31Sutpg21Z+g2+SjkqsJGfNRjAWTQf547CPE4vUkxv/7g62WVEMSYRl8vepA/yADK0oBALqD1MoG+MZ4v1Cfwy9dLVcfTf7Nc3OpFxGX/Ay0VZh6eoFVcsDBrhN6Zz81RxeXaQT2bFwWwW9XtxWdHjdH8CEaySAicKahz/nqih02et2FzjC/L34ewER1NzlalhS/Llau3jWY+vPQkkBF14TrbHzrNkk9zZgxb6lboFDXDI7BF2yXmGYhNdUrU=",
      "proof": [
        "7f84a8eede3609dcfe6e7705cf0c56a4f369bdc723f9636eca3382bb855fb955",
        "7f84a8eede3609dcfe6e7705cf0c56a4f369bdc723f9636eca3382bb855fb955",
        "7f84a8eede3609dcfe6e7705cf0c56a4f369bdc723f9636eca3382bb855fb955"
      ],
      "head": {
        "time": "2026-11-02T09:00:00.000Z",
        "height": 12,
        "key_id": "bd8e28f7b73c3af29c60eff5a7ca51b4",
        "sequence": 48,
        "root_hash": "03f7b7d34c32bb4cc5c2d182bc9b79a822324fb485e2a0139c779cfa848dcf62",
        "signature": "QZZ4T63ADK4Hbs7/loRl6IvhQf/cja9uYOawqRH3vuIEbTM7V+M8o1CnVzfTUSuK6G8XuHNCwmgvzbT2xfca6w==",
        "tree_size": 12,
        "chain_hash": "700eae7f6717a3fa734e877b98b955e093ff5ac5eb933ac9ded0e3d8323caf37",
        "state_hash": "a444581ab0af1ad5e94f3e8ba600541bbe62b823e657b920be0b8bd3fa079b24",
        "public_state_hash": "06a8c21cfff9833635d031e3b8098ee4f259bd45b9d4ef295d4ee25d86ffabb9"
      }
    }
  },
  "GET /payout-accounts": {
    "200": {
      "data": [
        {
          "payout_account_id": "pac_00000000001",
          "type": "ach",
          "holder_name": "Anna Maria Eriksson",
          "last4": "6789",
          "bic": null,
          "currency": "USD",
          "status": "active",
          "holder_name_check": "match",
          "created_at": "2026-11-02T09:00:00.000Z"
        }
      ],
      "next_cursor": null
    }
  },
  "GET /payout-accounts/{payout_account_id}": {
    "200": {
      "payout_account_id": "pac_00000000001",
      "type": "iban",
      "holder_name": "Eve Mallory",
      "last4": "3000",
      "bic": null,
      "currency": "EUR",
      "status": "active",
      "holder_name_check": "mismatch",
      "created_at": "2026-11-02T09:00:00.000Z"
    }
  },
  "GET /payouts": {
    "200": {
      "data": [
        {
          "payout_id": "pay_00000000001",
          "payout_account_id": "pac_00000000001",
          "account_id": "acc_00000000001",
          "amount": "1500",
          "requested_amount": "1500",
          "currency": "EUR",
          "fee": "0",
          "status": "failed",
          "code": "rejected",
          "message": "Somebody else’s account.",
          "reference": "Winnings",
          "created_at": "2026-11-02T09:00:00.000Z",
          "updated_at": "2026-11-02T09:01:00.000Z"
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /payouts/{payout_id}": {
    "200": {
      "payout_id": "pay_00000000001",
      "payout_account_id": "pac_00000000001",
      "account_id": "acc_00000000001",
      "amount": "100",
      "requested_amount": "100",
      "currency": "EUR",
      "fee": "0",
      "status": "failed",
      "code": "AC04",
      "message": "As told",
      "reference": "Winnings",
      "created_at": "2026-11-02T09:00:00.000Z",
      "updated_at": "2026-11-02T09:01:00.000Z"
    }
  },
  "GET /payouts/{payout_id}/history": {
    "200": {
      "data": [
        {
          "status": "returned",
          "code": "AC06",
          "message": "Account blocked",
          "changed_by": "operator",
          "changed_at": "2026-11-02T09:00:00.000Z"
        }
      ]
    }
  },
  "GET /payouts/{payout_id}/receipt": {
    "200": {
      "statement": {
        "account_id": 13,
        "changes": [
          {
            "table": "transfers",
            "kind": "append",
            "row": {
              "transfer_id": 55,
              "asset": "EUR",
              "amount": "250010000000000000000",
              "reason": "payout",
              "reference": "pay_00000000001",
              "created_at": 1795706175341,
              "side": "debit",
              "balance_after": "999749990000000000000000"
            }
          }
        ]
      },
      "salt": "3973b720f5cdaa2b848cc26f3afd57cb192f9e5f05d8ae680d998e8beeec014b",
      "statement_index": 0,
      "statement_proof": [
        "2f77c43ee60eab9bf1a4ce942e14ee67c43f23417f6186ca323c916c0efaf962"
      ],
      "height": 17,
      "leaf": "IOMl8GKA-dDRk_7QGg7aW-95Bj8uYC2T42BcvoJdlq0zL920gl05WPrUdIv8RcaMEcuCuZDsXhjvv1TYU5_760usV99m_mNoGI0dRSG8_67O52oDpQ_yl6E0OfcWTeCl8ym5liNVdWKcOC03mDC2rHkV0u5fWj6iGeYUqXaqp2wIUDbVQV_YnyLFk_OnoQNIrzyHs_E9czc6Qvh2jjd9o-kXfGDp5KKC5qKkjw5AJ6JhHq19T0HVHo2K9KzDibuLhY6U9YUHF9sGvE4L10RDid0R61fK-OYFAsxjMIGmNlENAP8b2WZCOYAJvIK628akKFMrLiifYcK7IgqBSnyyCm7IN3l5CwDPTdNVuola3zaDgVi6o5jw5w_OcBhQPbreJT0MyfPV5M31dJGnKmWDwZqv4BzZFzkh9KjUPe9fkS31S0t4nmPtCo3RUqWwILU-DJ16JSK5NwLCVdKEdXXr6pipIXWG9GwuPiD4JYB3_s73RA5OgXuQxW1_9U2ngYso7XMoKfSQ0evI9slCDI7ZbhGFhPd_krcF-7n8gmmWe0do774uRE3A1Zw6Hc31Sutpg21Z-g2-SjkqsJGfNRjAWTQf547CPE4vUkxv_7g62WVEMSYRl8vepA_yADK0oBALqD1MoG-MZ4v1Cfwy9dLVcfTf7Nc3OpFxGX_Ay0VZh6eoFVcsDBrhN6Zz81RxeXaQT2bFwWwW9XtxWdHjdH8CEaySAicKahz_nqih",
      "proof": [
        "7f84a8eede3609dcfe6e7705cf0c56a4f369bdc723f9636eca3382bb855fb955",
        "7f84a8eede3609dcfe6e7705cf0c56a4f369bdc723f9636eca3382bb855fb955"
      ],
      "head": {
        "time": "2026-11-02T09:00:00.000Z",
        "height": 18,
        "key_id": "bd8e28f7b73c3af29c60eff5a7ca51b4",
        "sequence": 56,
        "root_hash": "03f7b7d34c32bb4cc5c2d182bc9b79a822324fb485e2a0139c779cfa848dcf62",
        "signature": "QZZ4T63ADK4Hbs7/loRl6IvhQf/cja9uYOawqRH3vuIEbTM7V+M8o1CnVzfTUSuK6G8XuHNCwmgvzbT2xfca6w==",
        "tree_size": 18,
        "chain_hash": "700eae7f6717a3fa734e877b98b955e093ff5ac5eb933ac9ded0e3d8323caf37",
        "state_hash": "a444581ab0af1ad5e94f3e8ba600541bbe62b823e657b920be0b8bd3fa079b24",
        "public_state_hash": "06a8c21cfff9833635d031e3b8098ee4f259bd45b9d4ef295d4ee25d86ffabb9"
      }
    }
  },
  "GET /pet/findByStatus": {
    "200": [
      {
        "id": 11,
        "category": {
          "id": 7,
          "name": "Añejo"
        },
        "name": "Rex 🐕 Ünïcode ‏שלום",
        "photoUrls": [
          "https://example.com/rex.jpg",
          "string",
          "/rex.png"
        ],
        "tags": [
          {
            "id": 8,
            "name": "é"
          }
        ],
        "status": "sold"
      }
    ]
  },
  "GET /pet/findByTags": {
    "200": [
      {
        "id": 11,
        "category": {
          "id": 7,
          "name": "Dogs"
        },
        "name": "Rex v2",
        "photoUrls": [
          "https://example.com/rex.jpg"
        ],
        "tags": [
          {
            "id": 8,
            "name": "tag-v2"
          }
        ],
        "status": "available"
      }
    ]
  },
  "GET /pet/{petId}": {
    "200": {
      "id": 11,
      "category": {
        "id": 7,
        "name": "Añejo"
      },
      "name": "Rex 🐕 Ünïcode ‏שלום",
      "photoUrls": [
        "https://example.com/rex.jpg",
        "string",
        "/rex.png"
      ],
      "tags": [
        {
          "id": 8,
          "name": "é"
        }
      ],
      "status": "sold"
    }
  },
  "GET /quotes": {
    "200": {
      "data": [
        {
          "quote_id": "qte_00000000001",
          "account_id": "acc_00000000001",
          "status": "accepted",
          "side": "buy",
          "market_id": "BETS-15",
          "size": "2",
          "average_price": "0.4",
          "notional": "0.8",
          "fee": "0",
          "total": "0.8",
          "odds": "2.5",
          "stake": "0.8",
          "liability": "0.8",
          "payout": "2",
          "limit_price": "0.4",
          "expires_at": "2026-11-02T09:00:00.000Z",
          "created_at": "2026-11-02T09:01:00.000Z",
          "sequence": 1,
          "matched_bet_id": "mbt_00000000001"
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /quotes/{quote_id}": {
    "200": {
      "quote_id": "qte_00000000001",
      "account_id": "acc_00000000001",
      "status": "accepted",
      "side": "buy",
      "market_id": "BETS-15",
      "size": "2",
      "average_price": "0.4",
      "notional": "0.8",
      "fee": "0",
      "total": "0.8",
      "odds": "2.5",
      "stake": "0.8",
      "liability": "0.8",
      "payout": "2",
      "limit_price": "0.4",
      "expires_at": "2026-11-02T09:00:00.000Z",
      "created_at": "2026-11-02T09:01:00.000Z",
      "sequence": 1,
      "matched_bet_id": "mbt_00000000001"
    }
  },
  "GET /store/inventory": {
    "200": {
      "available": 8,
      "pending": 2,
      "sold": 1
    }
  },
  "GET /store/order/{orderId}": {
    "200": {
      "id": 1,
      "petId": 12,
      "quantity": 7,
      "shipDate": "2026-11-02T09:00:00.000Z",
      "status": "placed",
      "complete": false
    }
  },
  "GET /time": {
    "200": {
      "time": "2026-11-02T09:00:00.000Z",
      "sequence": 44
    }
  },
  "GET /user/email": {
    "200": {
      "email": "reader-16@example.com",
      "verified_at": "2026-11-02T09:00:00.000Z"
    }
  },
  "GET /user/exclusion": {
    "200": {
      "since": "2026-11-02T09:00:00.000Z",
      "until": "2026-11-02T09:01:00.000Z"
    }
  },
  "GET /user/exports": {
    "200": {
      "data": [
        {
          "export_id": "exp_00000000001",
          "status": "ready",
          "progress": {
            "sections_done": 29,
            "sections_total": 29,
            "rows": 6
          },
          "created_at": "2026-11-02T09:00:00.000Z",
          "ready_at": "2026-11-02T09:01:00.000Z",
          "expires_at": "2026-11-02T09:02:00.000Z",
          "size_bytes": 11159,
          "sha256": "736943f02b257ff2733284173a2cdbde3ed4f1c20d80e44b516c200de489d166",
          "download_url": "https://tradepost.example/user/exports/exp_00000000001/file?ticket=I-xyWp8hiMHjB94N8FUTrPVujMkkBte4xwXIgA1JUDg"
        }
      ],
      "next_cursor": null
    }
  },
  "GET /user/exports/{export_id}": {
    "200": {
      "export_id": "exp_00000000001",
      "status": "ready",
      "progress": {
        "sections_done": 29,
        "sections_total": 29,
        "rows": 6
      },
      "created_at": "2026-11-02T09:00:00.000Z",
      "ready_at": "2026-11-02T09:01:00.000Z",
      "expires_at": "2026-11-02T09:02:00.000Z",
      "size_bytes": 11166,
      "sha256": "736943f02b257ff2733284173a2cdbde3ed4f1c20d80e44b516c200de489d166",
      "download_url": "https://tradepost.example/user/exports/exp_00000000001/file?ticket=Y2PRmYg6_RcATLkzvWNOpcivrZU8HwT0zXB5blFAF7M"
    }
  },
  "GET /user/login": {
    "200": "tpa_exampleexampleexampleexampleexampleexamplee"
  },
  "GET /user/passkeys": {
    "200": {
      "data": [
        {
          "passkey_id": "psk_00000000001",
          "name": "x",
          "transports": [
            "internal"
          ],
          "aaguid": "01890000-0000-7000-8000-000000000001",
          "is_backed_up": false,
          "created_at": "2026-11-02T09:00:00.000Z",
          "last_used_at": null
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /user/sessions": {
    "200": {
      "data": [
        {
          "session_id": "ses_00000000001",
          "device": "node",
          "address": "127.0.0.1",
          "is_current": false,
          "started_at": "2026-11-02T09:00:00.000Z",
          "last_used_at": "2026-11-02T09:00:00.000Z",
          "expires_at": "2026-11-02T09:01:00.000Z"
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /user/totp": {
    "200": {
      "is_enrolled": true,
      "enrolled_at": "2026-11-02T09:00:00.000Z",
      "recovery_codes_left": 8
    }
  },
  "GET /user/{username}": {
    "200": {
      "id": 4,
      "username": "Carol",
      "firstName": "Carol",
      "lastName": "Jones",
      "email": "carol@example.com",
      "password": "********",
      "phone": "555",
      "userStatus": 0
    }
  },
  "GET /wallets": {
    "200": {
      "data": [
        {
          "wallet_id": "wlt_00000000001",
          "account_id": "acc_00000000001",
          "name": "Treasury",
          "balances": [
            {
              "asset": "ETH",
              "available": "0.000000000000000001",
              "held": "0",
              "total": "0.000000000000000001"
            }
          ],
          "created_at": "2026-11-02T09:00:00.000Z"
        }
      ],
      "next_cursor": null
    }
  },
  "GET /wallets/{wallet_id}": {
    "200": {
      "wallet_id": "wlt_00000000001",
      "account_id": "acc_00000000001",
      "name": "Test",
      "balances": [
        {
          "asset": "USD",
          "available": "5",
          "held": "0",
          "total": "5"
        }
      ],
      "created_at": "2026-11-02T09:00:00.000Z"
    }
  },
  "GET /wallets/{wallet_id}/addresses": {
    "200": {
      "data": [
        {
          "address_id": "adr_00000000001",
          "chain": "ethereum",
          "purpose": "deposit",
          "deposit_minimums": [
            {
              "asset": "ETH",
              "minimum": "0.01"
            }
          ],
          "address": "0x6ba914a9759a568ebf8a3b173c82e0d7e55df1dd",
          "derivation_path": "m/44'/60'/0'/0/0",
          "public_key": "0xdf1b179d230337e32f3b696e9867a1f62e018bde5e002b4f48e150d57e7bdf634d",
          "label": "Customer 1 – ü",
          "created_at": "2026-11-02T09:00:00.000Z"
        }
      ],
      "next_cursor": null
    }
  },
  "GET /wallets/{wallet_id}/deposits": {
    "200": {
      "data": [
        {
          "deposit_id": "dep_00000000001",
          "chain": "ethereum",
          "asset": "ETH",
          "amount": "0.003",
          "minimum": "0.01",
          "address": "0x6ba914a9759a568ebf8a3b173c82e0d7e55df1dd",
          "source": "0xb20389ce6e88582c86332b8430c38903bd6fa75f",
          "tx_hash": "0x3a2d38ba7b8f21e664e7849eeb1369aca54d07d970c158aa9c27282cf90ffad1",
          "confirmations": 1,
          "status": "below_minimum",
          "reason": "Less than 0.01 ETH in all waits on the address. Send more there.",
          "transfer_id": null,
          "created_at": "2026-11-02T09:00:00.000Z"
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /wallets/{wallet_id}/destinations": {
    "200": {
      "data": [
        {
          "destination_id": "dst_00000000001",
          "chain": "ethereum",
          "address": "0x6ba914a9759a568ebf8a3b173c82e0d7e55df1dd",
          "label": "New",
          "created_at": "2026-11-02T09:00:00.000Z",
          "effective_at": "2026-11-02T09:00:00.000Z"
        }
      ],
      "next_cursor": null
    }
  },
  "GET /wallets/{wallet_id}/proof": {
    "200": {
      "account_id": "acc_00000000001",
      "as_of": "2026-11-02T09:00:00.000Z",
      "sequence": 581,
      "parts": [
        {
          "leaf": {
            "account_id": "acc_00000000001",
            "part": 2,
            "parts": 2,
            "balances": {
              "USD": "10.559471038847694231"
            }
          },
          "salt": "3973b720f5cdaa2b848cc26f3afd57cb192f9e5f05d8ae680d998e8beeec014b",
          "path": [
            {
              "hash": "321ffb8b9f2eb33502c5fc58d2e250565f849757667d0ffd61542dab62eb27db",
              "sums": {
                "BTC": "720.857751895297326588",
                "ETH": "8389.489011129813161188",
                "EUR": "860700.489411304538775027",
                "USD": "3384999.201560745638773018",
                "USDC": "9003815.530226068727568355"
              },
              "side": "left"
            }
          ]
        }
      ],
      "root": "fb0ee5f33935284ce07c9315b4f4a8a5d121df7feffc49ce04e5fa7a30c5a16c"
    }
  },
  "GET /wallets/{wallet_id}/signatures": {
    "200": {
      "data": [
        {
          "signature_id": "sig_00000000001",
          "address_id": "adr_00000000001",
          "address": "0x6ba914a9759a568ebf8a3b173c82e0d7e55df1dd",
          "scheme": "eip712",
          "digest": "0x8e69f1270f8b98dbdc74417113748f5ee3077567082efa39e807c936ca4e4ba9",
          "requested_by": "client:demo",
          "created_at": "2026-11-02T09:00:00.000Z"
        }
      ],
      "next_cursor": "b2ZfdGhlX25leHRfcGFnZQ"
    }
  },
  "GET /wallets/{wallet_id}/transfers": {
    "200": {
      "data": [
        {
          "transfer_id": "trf_00000000001",
          "wallet_id": "wlt_00000000001",
          "direction": "in",
          "status": "completed",
          "reason": null,
          "asset": "USDC",
          "amount": "12.5",
          "fee": "0",
          "fee_asset": "USDC",
          "source": {
            "type": "address",
            "chain": "ethereum",
            "address": "0x6ba914a9759a568ebf8a3b173c82e0d7e55df1dd"
          },
          "destination": {
            "type": "wallet",
            "wallet_id": "wlt_00000000001",
            "chain": "ethereum",
            "address": "0x6ba914a9759a568ebf8a3b173c82e0d7e55df1dd"
          },
          "tx_hash": "0xee",
          "confirmations": 1,
          "client_transfer_id": null,
          "created_at": "2026-11-02T09:00:00.000Z",
          "updated_at": "2026-11-02T09:00:00.000Z"
        }
      ],
      "next_cursor": null
    }
  },
  "GET /wallets/{wallet_id}/transfers/{transfer_id}": {
    "200": {
      "transfer_id": "trf_00000000001",
      "wallet_id": "wlt_00000000001",
      "direction": "out",
      "status": "failed",
      "reason": "reverted",
      "asset": "USDC",
      "amount": "60",
      "fee": "0.000002",
      "fee_asset": "ETH",
      "source": {
        "type": "wallet",
        "wallet_id": "wlt_00000000001"
      },
      "destination": {
        "type": "address",
        "chain": "ethereum",
        "address": "0x6ba914a9759a568ebf8a3b173c82e0d7e55df1dd"
      },
      "tx_hash": "0xcc",
      "confirmations": 0,
      "client_transfer_id": null,
      "created_at": "2026-11-02T09:00:00.000Z",
      "updated_at": "2026-11-02T09:01:00.000Z",
      "states": [
        {
          "status": "failed",
          "reason": "reverted",
          "at": "2026-11-02T09:01:00.000Z"
        }
      ]
    }
  },
  "PATCH /accounts/{account_id}": {
    "200": {
      "account_id": "acc_00000000001",
      "kind": "trading",
      "name": "alice",
      "frozen": false,
      "created_at": "2026-11-02T09:00:00.000Z",
      "role": "owner",
      "is_main": true
    }
  },
  "PATCH /admin/accounts/{account_id}": {
    "200": {
      "account_id": "acc_00000000001",
      "kind": "wallet",
      "name": "Wallet 6",
      "frozen": false,
      "created_at": "2026-11-02T09:00:00.000Z"
    }
  },
  "PATCH /admin/markets/{market_id}": {
    "200": {
      "market_id": "SETTLED",
      "kind": "event",
      "title": "SETTLED",
      "description": "",
      "category": "",
      "status": "open",
      "base_asset": null,
      "quote_asset": "USD",
      "tick_size": "0.01",
      "lot_size": "1",
      "min_size": "1",
      "max_size": "10000000000000",
      "min_notional": "0",
      "price_min": "0.01",
      "price_max": "0.99",
      "market_order_band": null,
      "maker_fee_rate": "0",
      "taker_fee_rate": "0",
      "opens_at": null,
      "closes_at": null,
      "settlement_value": null,
      "settled_at": null,
      "event_group_id": null,
      "ticker": {
        "best_bid": "0.1",
        "best_ask": "0.6",
        "last_price": "0.6",
        "volume_24h": "4",
        "high_24h": "0.6",
        "low_24h": "0.6",
        "open_interest": "4"
      }
    },
    "202": {
      "market_id": "AT-ONCE",
      "kind": "event",
      "title": "AT-ONCE",
      "description": "",
      "category": "",
      "status": "closed",
      "base_asset": null,
      "quote_asset": "USD",
      "tick_size": "0.01",
      "lot_size": "1",
      "min_size": "1",
      "max_size": "10000000000000",
      "min_notional": "0",
      "price_min": "0.01",
      "price_max": "0.99",
      "market_order_band": null,
      "maker_fee_rate": "0",
      "taker_fee_rate": "0",
      "opens_at": null,
      "closes_at": null,
      "settlement_value": null,
      "settled_at": null,
      "event_group_id": null,
      "ticker": {
        "best_bid": null,
        "best_ask": null,
        "last_price": "0.4",
        "volume_24h": "10",
        "high_24h": "0.4",
        "low_24h": "0.4",
        "open_interest": "10"
      },
      "approval_id": "apv_00000000001"
    }
  },
  "PATCH /admin/news/{news_id}": {
    "200": {
      "news_id": "nws_00000000001",
      "headline": "A headline",
      "summary": "New words.",
      "content": "<p>New words.</p>",
      "author": null,
      "url": "https://tradepost.example/docs",
      "source": "Tradepost",
      "category": "old",
      "symbols": [
        "ETH-USD"
      ],
      "language": "de",
      "published_at": "2026-11-02T09:00:00.000Z",
      "updated_at": "2026-11-02T09:01:00.000Z"
    }
  },
  "PATCH /admin/store/orders/{orderId}": {
    "200": {
      "id": 8,
      "petId": 12,
      "quantity": 3,
      "status": "delivered",
      "complete": false
    }
  },
  "PATCH /chat/rooms/{room_id}": {
    "200": {
      "room_id": "rom_00000000001",
      "name": "Renamed",
      "type": "private",
      "sequence": 2,
      "members_count": 2,
      "last_message": null,
      "unread_count": 0,
      "membership": {
        "member": "alice",
        "role": "owner",
        "muted_until": null,
        "read_sequence": 1,
        "joined_at": "2026-11-02T09:00:00.000Z",
        "notifications_muted": false
      },
      "created_at": "2026-11-02T09:00:00.000Z"
    }
  },
  "PATCH /chat/rooms/{room_id}/members/{member}": {
    "200": {
      "member": "alice",
      "role": "owner",
      "muted_until": null,
      "read_sequence": 6,
      "joined_at": "2026-11-02T09:00:00.000Z",
      "notifications_muted": false
    }
  },
  "PATCH /chat/rooms/{room_id}/messages/{message_id}": {
    "200": {
      "message_id": "msg_00000000001",
      "room_id": "rom_00000000001",
      "sequence": 6,
      "author": "alice",
      "text": "edit 1",
      "client_message_id": "0",
      "parent_id": null,
      "reply_count": 1,
      "reactions": [
        {
          "emoji": "❤️",
          "count": 1
        }
      ],
      "created_at": "2026-11-02T09:00:00.000Z",
      "edited_at": "2026-11-02T09:01:00.000Z",
      "deleted_at": null
    }
  },
  "PATCH /news/webhooks/{webhook_id}": {
    "200": {
      "webhook_id": "whk_00000000001",
      "url": "https://tradepost.example/hook-74",
      "ordered": false,
      "event_types": [
        "news.published",
        "news.updated",
        "news.removed"
      ],
      "filter": {},
      "credential": {
        "kind": "client",
        "id": "maker"
      },
      "disabled": true,
      "disabled_reason": "owner",
      "disabled_at": "2026-11-02T09:01:00.000Z",
      "failing_since": null,
      "previous_secret_until": null,
      "created_at": "2026-11-02T09:00:00.000Z",
      "updated_at": "2026-11-02T09:01:00.000Z"
    }
  },
  "PATCH /orders/{order_id}": {
    "200": {
      "order_id": "ord_00000000001",
      "account_id": "acc_00000000001",
      "client_order_id": null,
      "market_id": "TEST-35",
      "side": "sell",
      "type": "limit",
      "time_in_force": "GTC",
      "price": "100",
      "stop_price": null,
      "best_price": null,
      "trigger": null,
      "size": "1",
      "quote_size": null,
      "display_size": null,
      "order_list_id": null,
      "origin": null,
      "trailing_offset": null,
      "trailing_percent": null,
      "expires_at": null,
      "post_only": false,
      "reduce_only": false,
      "self_trade_prevention": "cancel_newest",
      "status": "cancelled",
      "status_reason": "amended_to_filled",
      "filled_size": "1",
      "remaining_size": "0",
      "average_fill_price": "100",
      "fees": "0",
      "created_at": "2026-11-02T09:00:00.000Z",
      "updated_at": "2026-11-02T09:02:00.000Z",
      "sequence": 3,
      "fills": [
        {
          "fill_id": "fil_00000000001",
          "trade_id": "trd_00000000001",
          "order_id": "ord_00000000001",
          "market_id": "TEST-35",
          "side": "sell",
          "price": "100",
          "size": "1",
          "fee": "0",
          "fee_asset": "USD",
          "liquidity": "maker",
          "executed_at": "2026-11-02T09:01:00.000Z",
          "sequence": 2
        }
      ]
    }
  },
  "PATCH /user/passkeys/{passkey_id}": {
    "200": {
      "passkey_id": "psk_00000000001",
      "name": "Old phone",
      "transports": [
        "internal"
      ],
      "aaguid": "01890000-0000-7000-8000-000000000001",
      "is_backed_up": false,
      "created_at": "2026-11-02T09:00:00.000Z",
      "last_used_at": null
    }
  },
  "POST /accounts": {
    "201": {
      "account_id": "acc_00000000001",
      "kind": "trading",
      "name": "A",
      "frozen": false,
      "created_at": "2026-11-02T09:00:00.000Z",
      "role": "owner",
      "is_main": false
    }
  },
  "POST /accounts/{account_id}/limits": {
    "200": {
      "limit_id": "lim_00000000001",
      "account_id": "acc_00000000001",
      "kind": "stake",
      "asset": "USD",
      "amount": "5",
      "period": "day",
      "used": "0",
      "remaining": "5",
      "period_start": "2026-11-02T09:00:00.000Z",
      "period_end": "2026-11-02T09:01:00.000Z",
      "pending_amount": "8",
      "effective_at": "2026-11-02T09:02:00.000Z"
    }
  },
  "POST /accounts/{account_id}/members": {
    "201": {
      "username": "bob",
      "role": "viewer",
      "status": "active",
      "invited_at": "2026-11-02T09:00:00.000Z",
      "expires_at": null,
      "accepted_at": "2026-11-02T09:01:00.000Z"
    }
  },
  "POST /accounts/{account_id}/transfers": {
    "201": {
      "transfer_id": "trf_00000000001",
      "wallet_id": null,
      "direction": "out",
      "status": "completed",
      "reason": null,
      "asset": "USD",
      "amount": "1",
      "fee": "0",
      "fee_asset": "USD",
      "source": {
        "type": "account",
        "account_id": "acc_00000000001"
      },
      "destination": {
        "type": "wallet",
        "wallet_id": "wlt_00000000001"
      },
      "tx_hash": null,
      "confirmations": null,
      "client_transfer_id": "one~!",
      "created_at": "2026-11-02T09:00:00.000Z",
      "updated_at": "2026-11-02T09:01:00.000Z"
    }
  },
  "POST /admin/accounts": {
    "201": {
      "account_id": "acc_00000000001",
      "kind": "trading",
      "name": "A",
      "frozen": false,
      "created_at": "2026-11-02T09:00:00.000Z"
    }
  },
  "POST /admin/accounts/{account_id}/adjustments": {
    "201": {
      "entry_id": "ent_00000000001",
      "account_id": "acc_00000000001",
      "asset": "EUR",
      "amount": "1",
      "direction": "credit",
      "reason": "x",
      "reference": "x",
      "ledger_sequence": 80
    },
    "202": {
      "approval_id": "apv_00000000001",
      "kind": "adjustment",
      "status": "pending",
      "subject": {
        "type": "account",
        "id": "acc_00000000001"
      },
      "summary": "Credit 57 EUR to the account acc_00000000001 of first (wire 1): mistake",
      "proposed_by": "user:3",
      "proposed_at": "2026-11-02T09:00:00.000Z",
      "decided_by": null,
      "decided_at": null,
      "reason": null,
      "expires_at": "2026-11-02T09:01:00.000Z"
    }
  },
  "POST /admin/accounts/{account_id}/deposits": {
    "201": {
      "entry_id": "ent_00000000001",
      "account_id": "acc_00000000001",
      "asset": "EUR",
      "amount": "10",
      "reference": "x",
      "ledger_sequence": 84
    },
    "202": {
      "approval_id": "apv_00000000001",
      "kind": "deposit",
      "status": "pending",
      "subject": {
        "type": "account",
        "id": "acc_00000000001"
      },
      "summary": "Deposit 3 EUR into the account acc_00000000001 of mule (wire 1).",
      "proposed_by": "user:1",
      "proposed_at": "2026-11-02T09:00:00.000Z",
      "decided_by": null,
      "decided_at": null,
      "reason": null,
      "expires_at": "2026-11-02T09:01:00.000Z"
    }
  },
  "POST /admin/accounts/{account_id}/freeze": {
    "200": {
      "account_id": "acc_00000000001",
      "kind": "wallet",
      "name": "Mine",
      "frozen": true,
      "created_at": "2026-11-02T09:00:00.000Z"
    }
  },
  "POST /admin/accounts/{account_id}/unfreeze": {
    "200": {
      "account_id": "acc_00000000001",
      "kind": "wallet",
      "name": "Mine",
      "frozen": false,
      "created_at": "2026-11-02T09:00:00.000Z"
    },
    "202": {
      "approval_id": "apv_00000000001",
      "kind": "unfreeze",
      "status": "pending",
      "subject": {
        "type": "account",
        "id": "acc_00000000001"
      },
      "summary": "Unfreeze the account acc_00000000001 of client:demo.",
      "proposed_by": "client:admin",
      "proposed_at": "2026-11-02T09:00:00.000Z",
      "decided_by": null,
      "decided_at": null,
      "reason": null,
      "expires_at": "2026-11-02T09:01:00.000Z"
    }
  },
  "POST /admin/approvals/{approval_id}/approve": {
    "200": {
      "approval_id": "apv_00000000001",
      "kind": "operator",
      "status": "approved",
      "subject": {
        "type": "user",
        "id": "puppet"
      },
      "summary": "Make the user puppet an operator.",
      "proposed_by": "user:1",
      "proposed_at": "2026-11-02T09:00:00.000Z",
      "decided_by": "user:2",
      "decided_at": "2026-11-02T09:01:00.000Z",
      "reason": null,
      "expires_at": "2026-11-02T09:02:00.000Z"
    }
  },
  "POST /admin/approvals/{approval_id}/reject": {
    "200": {
      "approval_id": "apv_00000000001",
      "kind": "settlement",
      "status": "rejected",
      "subject": {
        "type": "market",
        "id": "ALONE"
      },
      "summary": "Settle the market ALONE at 1.",
      "proposed_by": "user:1",
      "proposed_at": "2026-11-02T09:00:00.000Z",
      "decided_by": "user:1",
      "decided_at": "2026-11-02T09:01:00.000Z",
      "reason": "no",
      "expires_at": "2026-11-02T09:02:00.000Z"
    }
  },
  "POST /admin/assets": {
    "201": {
      "code": "EUR",
      "scale": 2
    }
  },
  "POST /admin/blog/images": {
    "201": {
      "image_name": "a55f1fbd30696203de630112187f783e.png",
      "url": "https://tradepost.example/blog/images/a55f1fbd30696203de630112187f783e.png",
      "media_type": "image/png",
      "size_bytes": 94,
      "created_at": "2026-11-02T09:00:00.000Z"
    }
  },
  "POST /admin/blog/pages": {
    "201": {
      "page_id": "pag_00000000001",
      "slug": "a-page",
      "url": "https://tradepost.example/blog/pages/a-page",
      "title": "A page",
      "updated_at": "2026-11-02T09:00:00.000Z",
      "status": "published",
      "published_at": "2026-11-02T09:00:00.000Z",
      "version": 1,
      "created_at": "2026-11-02T09:00:00.000Z",
      "html": "<p>Some <em>words</em>.</p>",
      "markdown": "Some *words*."
    }
  },
  "POST /admin/blog/posts": {
    "201": {
      "post_id": "pst_00000000001",
      "slug": "kept-slug",
      "url": "https://tradepost.example/blog/posts/kept-slug",
      "title": "A post",
      "excerpt": "Gone.",
      "feature_image": "https://example.com/a.png",
      "status": "published",
      "updated_at": "2026-11-02T09:01:00.000Z",
      "reading_time": 1,
      "category": {
        "slug": "gone",
        "name": "Gone"
      },
      "tags": [
        {
          "slug": "gone",
          "name": "Gone"
        }
      ],
      "author": {
        "slug": "kept-author",
        "name": "Kept Author"
      },
      "published_at": "2026-11-02T09:00:00.000Z",
      "custom_excerpt": "Gone.",
      "version": 1,
      "created_at": "2026-11-02T09:01:00.000Z",
      "html": "<p>Some <em>words</em>.</p>",
      "markdown": "Some *words*."
    }
  },
  "POST /admin/blog/preview": {
    "200": {
      "html": "<p><a href=\"https://tradepost.example/blog/pages/other\">address</a></p>",
      "excerpt": "address",
      "reading_time": 1
    }
  },
  "POST /admin/chain-deposits/{deposit_id}/return": {
    "201": {
      "transfer_id": "trf_00000000001",
      "wallet_id": null,
      "direction": "out",
      "status": "pending_approval",
      "reason": null,
      "asset": "ETH",
      "amount": "7",
      "fee": "0.000042",
      "fee_asset": "ETH",
      "source": {
        "type": "account",
        "account_id": "acc_00000000001"
      },
      "destination": {
        "type": "address",
        "chain": "ethereum",
        "address": "0x6ba914a9759a568ebf8a3b173c82e0d7e55df1dd"
      },
      "tx_hash": null,
      "confirmations": null,
      "client_transfer_id": "dep_00000000001:1",
      "created_at": "2026-11-02T09:00:00.000Z",
      "updated_at": "2026-11-02T09:01:00.000Z",
      "requested_by": "client:admin",
      "held": null
    }
  },
  "POST /admin/chat/rooms/{room_id}/bans": {
    "201": {
      "room_id": "rom_00000000001",
      "member": "bob",
      "until": "2026-11-02T09:01:00.000Z",
      "reason": "Shouts",
      "banned_by": "client:admin",
      "banned_at": "2026-11-02T09:00:00.000Z"
    }
  },
  "POST /admin/demo/reset": {
    "200": {
      "markets_reopened": [
        "ETH-USD"
      ],
      "orders_cancelled": 3,
      "balances_adjusted": 0
    }
  },
  "POST /admin/event-groups": {
    "201": {
      "event_group_id": "CUP",
      "title": "Who wins?",
      "market_ids": [
        "RED",
        "GREEN",
        "BLUE"
      ],
      "winning_market_id": null,
      "created_at": "2026-11-02T09:00:00.000Z"
    }
  },
  "POST /admin/event-groups/{event_group_id}/settle": {
    "200": {
      "event_group_id": "CUP",
      "title": "Who wins?",
      "market_ids": [
        "RED",
        "GREEN",
        "BLUE"
      ],
      "winning_market_id": "RED",
      "created_at": "2026-11-02T09:00:00.000Z"
    },
    "202": {
      "event_group_id": "SKY",
      "title": "How is it?",
      "market_ids": [
        "SUN",
        "SNOW"
      ],
      "winning_market_id": null,
      "created_at": "2026-11-02T09:00:00.000Z",
      "approval_id": "apv_00000000001"
    }
  },
  "POST /admin/event-groups/{event_group_id}/settle/preview": {
    "200": {
      "kind": "settlement",
      "winning_market_id": "RED",
      "asset": "USD",
      "to_longs": "10",
      "to_shorts": "0",
      "paid_back": "0"
    }
  },
  "POST /admin/event-groups/{event_group_id}/settlement/correction": {
    "200": {
      "event_group_id": "CUP",
      "title": "Who wins?",
      "market_ids": [
        "RED",
        "GREEN",
        "BLUE"
      ],
      "winning_market_id": "GREEN",
      "created_at": "2026-11-02T09:00:00.000Z"
    },
    "202": {
      "event_group_id": "SKY",
      "title": "How is it?",
      "market_ids": [
        "SUN",
        "SNOW"
      ],
      "winning_market_id": "SUN",
      "created_at": "2026-11-02T09:00:00.000Z",
      "approval_id": "apv_00000000001"
    }
  },
  "POST /admin/journal/keys": {
    "201": {
      "key_id": "bd8e28f7b73c3af29c60eff5a7ca51b4",
      "public_key": "3xsXnSMDN+MvO2lumGeh9i4Bi95eACtPSOFQ1X5732M=",
      "activated_at": "2026-11-02T09:00:00.000Z",
      "previous_key_id": "6be402f21d1a9407c0ce21d211426b32",
      "handover_signature": "68BAoUyEx0R50b2/sSfRsQAjyBxB2CtJVkes/wBta0sH2T5nc3Mzn4opxpmHarMqwnnob+R5+ZSxzJfEe6uhpA==",
      "own_signature": "fEJdSgxundLu64jW2s33hR8QKrn7FTNFQ3a4oo89VQgDCP/OzHgRm8CMrfNtvAkZy4k8totG56TGAhW44u4xZA=="
    }
  },
  "POST /admin/kyc/{kyc_id}/decision": {
    "200": {
      "kyc_id": "kyc_00000000001",
      "status": "approved",
      "level": 1,
      "reasons": [
        {
          "code": "operator_decision",
          "message": "Document and data agree."
        }
      ],
      "requirements": [],
      "person": {
        "name": "M*** N***",
        "document_type": "passport",
        "document_number": "***630"
      },
      "document_expires_on": "2026-11-02",
      "created_at": "2026-11-02T09:00:00.000Z",
      "updated_at": "2026-11-02T09:01:00.000Z",
      "decided_at": "2026-11-02T09:01:00.000Z",
      "owner": "client:demo",
      "submitted_by": "client:demo",
      "provider": "built-in",
      "provider_reference": null,
      "checks": [
        {
          "check": "sanctions",
          "outcome": "review",
          "score": 100,
          "matches": [
            {
              "uid": "8000",
              "score": 100,
              "name": "NEWLYLISTED, Maria",
              "program": "SDGT"
            }
          ]
        }
      ]
    },
    "202": {
      "approval_id": "apv_00000000001",
      "kind": "kyc_level",
      "status": "pending",
      "subject": {
        "type": "kyc",
        "id": "kyc_00000000001"
      },
      "summary": "Approve the KYC case kyc_00000000001 of mule at level 9.",
      "proposed_by": "user:2",
      "proposed_at": "2026-11-02T09:00:00.000Z",
      "decided_by": null,
      "decided_at": null,
      "reason": null,
      "expires_at": "2026-11-02T09:01:00.000Z"
    }
  },
  "POST /admin/liabilities": {
    "202": {
      "cut_id": "cut_00000000001",
      "kind": "on_demand",
      "status": "pending",
      "accounts_done": 0,
      "accounts_total": null,
      "as_of": null,
      "started_at": null,
      "finished_at": null,
      "created_at": "2026-11-02T09:00:00.000Z"
    }
  },
  "POST /admin/markets": {
    "201": {
      "market_id": "LATER",
      "kind": "spot",
      "title": "LATER",
      "description": "",
      "category": "",
      "status": "scheduled",
      "base_asset": "ETH",
      "quote_asset": "EUR",
      "tick_size": "0.01",
      "lot_size": "0.0001",
      "min_size": "0.0001",
      "max_size": "1000000000",
      "min_notional": "0",
      "price_min": "0.01",
      "price_max": "999999999.99",
      "market_order_band": "20",
      "maker_fee_rate": "0",
      "taker_fee_rate": "0",
      "opens_at": "2026-11-02T09:00:00.000Z",
      "closes_at": null,
      "settlement_value": null,
      "settled_at": null,
      "event_group_id": null,
      "ticker": {
        "best_bid": null,
        "best_ask": null,
        "last_price": null,
        "volume_24h": "0",
        "high_24h": null,
        "low_24h": null,
        "open_interest": null
      }
    }
  },
  "POST /admin/markets/{market_id}/settlement/correction": {
    "200": {
      "market_id": "WITHDRAWN",
      "status": "settled",
      "settlement_value": "0",
      "settled_at": "2026-11-02T09:01:00.000Z",
      "holders": 2,
      "paid": 2,
      "amount_paid": "10",
      "started_at": "2026-11-02T09:00:00.000Z",
      "finished_at": "2026-11-02T09:00:00.000Z",
      "proposal": null
    },
    "202": {
      "market_id": "WITHDRAWN",
      "status": "settled",
      "settlement_value": "1",
      "settled_at": "2026-11-02T09:00:00.000Z",
      "holders": 2,
      "paid": 2,
      "amount_paid": "10",
      "started_at": "2026-11-02T09:00:00.000Z",
      "finished_at": "2026-11-02T09:00:00.000Z",
      "proposal": {
        "approval_id": "apv_00000000001",
        "settlement_value": "0",
        "proposed_by": "client:admin",
        "proposed_at": "2026-11-02T09:01:00.000Z"
      },
      "approval_id": "apv_00000000001"
    }
  },
  "POST /admin/markets/{market_id}/settlement/preview": {
    "200": {
      "kind": "settlement",
      "settlement_value": "0.7",
      "asset": "USD",
      "long_accounts": 1,
      "short_accounts": 1,
      "contracts": "10",
      "to_longs": "7",
      "to_shorts": "3"
    }
  },
  "POST /admin/news": {
    "201": {
      "news_id": "nws_00000000001",
      "headline": "Fees & “rebates” < yesterday",
      "summary": "In short.",
      "content": "<p>See <a href=\"https://tradepost.example/docs\">the docs</a>.</p>",
      "author": "Ada Lovelace",
      "url": "https://example.com/fees?x=1",
      "source": "Example Times",
      "category": "network-fees",
      "symbols": [
        "BTC-USD",
        "ETH-USD"
      ],
      "language": "en",
      "published_at": "2026-11-02T09:00:00.000Z",
      "updated_at": "2026-11-02T09:01:00.000Z"
    }
  },
  "POST /admin/news/feeds/{feed_id}/poll": {
    "202": {
      "feed_id": "nfd_00000000001",
      "url": "https://tradepost.example/feed-8.xml",
      "current_url": "https://tradepost.example/feed-8.xml",
      "title": "Example & Sons",
      "status": "failing",
      "http_status": 500,
      "problem": "It answered with status 500.",
      "failures": 1,
      "polled_at": "2026-11-02T09:01:00.000Z",
      "succeeded_at": "2026-11-02T09:00:00.000Z",
      "next_poll_at": "2026-11-02T09:02:00.000Z"
    }
  },
  "POST /admin/operators": {
    "201": {
      "id": 14,
      "username": "reader-11",
      "email": "reader-11@example.com",
      "password": "********",
      "userStatus": 0
    },
    "202": {
      "approval_id": "apv_00000000001",
      "kind": "operator",
      "status": "pending",
      "subject": {
        "type": "user",
        "id": "mule"
      },
      "summary": "Make the user mule an operator.",
      "proposed_by": "user:4",
      "proposed_at": "2026-11-02T09:00:00.000Z",
      "decided_by": null,
      "decided_at": null,
      "reason": null,
      "expires_at": "2026-11-02T09:01:00.000Z"
    }
  },
  "POST /admin/payout-files": {
    "201": {
      "data": [
        {
          "file_id": "pof_00000000001",
          "rail": "ach",
          "number": 1,
          "name": "ach-000001.ach",
          "media_type": "text/plain",
          "currency": "USD",
          "payments": 1,
          "total": "10",
          "settles_on": "2026-11-02",
          "sha256": "736943f02b257ff2733284173a2cdbde3ed4f1c20d80e44b516c200de489d166",
          "created_by": "client:admin",
          "created_at": "2026-11-02T09:00:00.000Z",
          "delivered_by": null,
          "delivered_at": null
        }
      ]
    }
  },
  "POST /admin/payout-files/reports": {
    "200": {
      "report_id": "por_00000000001",
      "rail": "sepa",
      "format": "pain.002",
      "entries": [
        {
          "payout_id": "pay_00000000001",
          "bank_reference": "pay-00000000001",
          "outcome": "ignored",
          "status": "paid",
          "code": "NARR",
          "reason": "The bank rejects the whole file, but has confirmed this payment before. If it comes back, report it as returned.",
          "remark_id": "prm_00000000001"
        }
      ],
      "remarks": []
    }
  },
  "POST /admin/payout-files/{file_id}/delivered": {
    "200": {
      "file_id": "pof_00000000001",
      "rail": "ach",
      "number": 1,
      "name": "ach-000001.ach",
      "media_type": "text/plain",
      "currency": "USD",
      "payments": 1,
      "total": "123.45",
      "settles_on": "2026-11-02",
      "sha256": "736943f02b257ff2733284173a2cdbde3ed4f1c20d80e44b516c200de489d166",
      "created_by": "client:admin",
      "created_at": "2026-11-02T09:00:00.000Z",
      "delivered_by": "client:admin",
      "delivered_at": "2026-11-02T09:01:00.000Z"
    }
  },
  "POST /admin/payout-remarks/{remark_id}/clear": {
    "200": {
      "remark_id": "prm_00000000001",
      "status": "cleared",
      "report_id": "por_00000000001",
      "rail": "sepa",
      "payout_id": "pay_00000000001",
      "file_id": null,
      "bank_reference": "pay-0000000000E",
      "code": "CANC",
      "reason": "CANC is no status that moves a payment. The bank says: MS03 As told. So it moves nothing: ask the bank what became of the money.",
      "created_at": "2026-11-02T09:00:00.000Z",
      "cleared_by": "client:admin",
      "cleared_at": "2026-11-02T09:01:00.000Z",
      "note": "The bank has paid it."
    }
  },
  "POST /admin/payouts/{payout_id}/approve": {
    "200": {
      "payout_id": "pay_00000000001",
      "payout_account_id": "pac_00000000001",
      "account_id": "acc_00000000001",
      "amount": "5000",
      "requested_amount": "5000",
      "currency": "EUR",
      "fee": "0",
      "status": "pending",
      "code": null,
      "message": null,
      "reference": "Winnings",
      "created_at": "2026-11-02T09:00:00.000Z",
      "updated_at": "2026-11-02T09:01:00.000Z",
      "owner": "user:4",
      "requested_by": "user:4",
      "rail": "sepa",
      "held": null,
      "file_id": null,
      "bank_reference": null,
      "paid_after": null
    }
  },
  "POST /admin/payouts/{payout_id}/reject": {
    "200": {
      "payout_id": "pay_00000000001",
      "payout_account_id": "pac_00000000001",
      "account_id": "acc_00000000001",
      "amount": "50",
      "requested_amount": "50",
      "currency": "EUR",
      "fee": "0",
      "status": "failed",
      "code": "rejected",
      "message": "Left.",
      "reference": "Winnings",
      "created_at": "2026-11-02T09:00:00.000Z",
      "updated_at": "2026-11-02T09:01:00.000Z",
      "owner": "user:4",
      "requested_by": "user:4",
      "rail": "sepa",
      "held": null,
      "file_id": null,
      "bank_reference": null,
      "paid_after": null
    }
  },
  "POST /admin/payouts/{payout_id}/report": {
    "200": {
      "payout_id": "pay_00000000001",
      "payout_account_id": "pac_00000000001",
      "account_id": "acc_00000000001",
      "amount": "250.01",
      "requested_amount": "250.01",
      "currency": "EUR",
      "fee": "0",
      "status": "returned",
      "code": "AC06",
      "message": "Account blocked",
      "reference": "Winnings",
      "created_at": "2026-11-02T09:00:00.000Z",
      "updated_at": "2026-11-02T09:01:00.000Z",
      "owner": "client:demo",
      "requested_by": "client:demo",
      "rail": "sepa",
      "held": null,
      "file_id": "pof_00000000001",
      "bank_reference": "pay-00000000001",
      "paid_after": "2026-11-02"
    }
  },
  "POST /admin/sanctions-list/reload": {
    "200": {
      "people": 2,
      "names": 3,
      "loaded_at": "2026-11-02T09:00:00.000Z",
      "version": "d3aad2ef4847df86"
    }
  },
  "POST /admin/transfers/{transfer_id}/approve": {
    "200": {
      "transfer_id": "trf_00000000001",
      "wallet_id": "wlt_00000000001",
      "direction": "out",
      "status": "pending",
      "reason": null,
      "asset": "USDC",
      "amount": "3000",
      "fee": "0.000042",
      "fee_asset": "ETH",
      "source": {
        "type": "wallet",
        "wallet_id": "wlt_00000000001"
      },
      "destination": {
        "type": "address",
        "chain": "ethereum",
        "address": "0x6ba914a9759a568ebf8a3b173c82e0d7e55df1dd"
      },
      "tx_hash": null,
      "confirmations": null,
      "client_transfer_id": null,
      "created_at": "2026-11-02T09:00:00.000Z",
      "updated_at": "2026-11-02T09:01:00.000Z",
      "requested_by": "user:1",
      "held": null
    }
  },
  "POST /admin/transfers/{transfer_id}/reject": {
    "200": {
      "transfer_id": "trf_00000000001",
      "wallet_id": "wlt_00000000001",
      "direction": "out",
      "status": "rejected",
      "reason": "Fraud.",
      "asset": "ETH",
      "amount": "3",
      "fee": "0",
      "fee_asset": "ETH",
      "source": {
        "type": "wallet",
        "wallet_id": "wlt_00000000001"
      },
      "destination": {
        "type": "address",
        "chain": "ethereum",
        "address": "0x6ba914a9759a568ebf8a3b173c82e0d7e55df1dd"
      },
      "tx_hash": null,
      "confirmations": null,
      "client_transfer_id": null,
      "created_at": "2026-11-02T09:00:00.000Z",
      "updated_at": "2026-11-02T09:01:00.000Z",
      "requested_by": "user:2",
      "held": null
    }
  },
  "POST /admin/users/{username}/lock": {
    "200": {
      "id": 7,
      "username": "stuck",
      "lastName": "Quinnell",
      "email": "stuck@example.com",
      "password": "********",
      "userStatus": 1
    }
  },
  "POST /admin/users/{username}/unlock": {
    "200": {
      "id": 3,
      "username": "bob",
      "password": "********",
      "userStatus": 0
    }
  },
  "POST /auth/api-keys": {
    "201": {
      "api_key_id": "key_00000000001",
      "name": "Bot",
      "prefix": "tpk_exam",
      "signing": null,
      "scopes": [
        "account:read",
        "markets:trade"
      ],
      "account_id": null,
      "allowed_addresses": [
        "203.0.113.0/24",
        "2001:db8::/32"
      ],
      "markets": null,
      "created_at": "2026-11-02T09:00:00.000Z",
      "expires_at": null,
      "last_used_at": null,
      "previous_expires_at": null,
      "previous_last_used_at": null,
      "api_key": "tpk_exampleexampleexampleexampleexampleexamplee"
    }
  },
  "POST /auth/api-keys/{api_key_id}/rotate": {
    "200": {
      "api_key_id": "key_00000000001",
      "name": "Bot",
      "prefix": "tpk_exam",
      "signing": null,
      "scopes": [
        "account:read"
      ],
      "account_id": null,
      "allowed_addresses": null,
      "markets": [
        "BTC-USD"
      ],
      "created_at": "2026-11-02T09:00:00.000Z",
      "expires_at": null,
      "last_used_at": null,
      "previous_expires_at": "2026-11-02T09:01:00.000Z",
      "previous_last_used_at": null,
      "api_key": "tpk_exampleexampleexampleexampleexampleexamplee"
    }
  },
  "POST /auth/clients": {
    "201": {
      "client_id": "cli_00000000001",
      "name": "App",
      "public": false,
      "prefix": "tps_exam",
      "grant_types": [
        "authorization_code",
        "refresh_token"
      ],
      "redirect_uris": [
        "https://app.example.com/callback"
      ],
      "scopes": [
        "account:read",
        "read:pets"
      ],
      "created_at": "2026-11-02T09:00:00.000Z",
      "last_used_at": null,
      "client_secret": "tps_exampleexampleexampleexampleexampleexamplee"
    }
  },
  "POST /auth/signing-keys": {
    "201": {
      "signing_key_id": "key_00000000001",
      "name": "Desk",
      "public_key": "3xsXnSMDN+MvO2lumGeh9i4Bi95eACtPSOFQ1X5732M=",
      "scopes": [
        "account:read",
        "markets:trade"
      ],
      "account_id": null,
      "allowed_addresses": [
        "127.0.0.1/32",
        "::1/128"
      ],
      "markets": null,
      "created_at": "2026-11-02T09:00:00.000Z",
      "expires_at": null,
      "last_used_at": null,
      "previous_expires_at": null,
      "previous_last_used_at": null
    }
  },
  "POST /auth/signing-keys/{signing_key_id}/rotate": {
    "200": {
      "signing_key_id": "key_00000000001",
      "name": "Desk",
      "public_key": "3xsXnSMDN+MvO2lumGeh9i4Bi95eACtPSOFQ1X5732M=",
      "scopes": [
        "account:read",
        "markets:trade"
      ],
      "account_id": null,
      "allowed_addresses": null,
      "markets": null,
      "created_at": "2026-11-02T09:00:00.000Z",
      "expires_at": null,
      "last_used_at": null,
      "previous_expires_at": "2026-11-02T09:01:00.000Z",
      "previous_last_used_at": null
    }
  },
  "POST /auth/stream-tickets": {
    "201": {
      "ticket": "tpt_exampleexampleexampleexampleexampleexamplee",
      "expires_at": "2026-11-02T09:00:00.000Z"
    }
  },
  "POST /auth/token": {
    "200": {
      "access_token": "tpa_exampleexampleexampleexampleexampleexamplee",
      "token_type": "Bearer",
      "expires_in": 3600,
      "scope": "admin"
    }
  },
  "POST /chat/rooms": {
    "200": {
      "room_id": "rom_00000000001",
      "name": "client:demo",
      "type": "direct",
      "sequence": 2,
      "members_count": 2,
      "last_message": null,
      "unread_count": 0,
      "membership": {
        "member": "client:maker",
        "role": "member",
        "muted_until": null,
        "read_sequence": 2,
        "joined_at": "2026-11-02T09:01:00.000Z",
        "notifications_muted": false
      },
      "created_at": "2026-11-02T09:00:00.000Z"
    },
    "201": {
      "room_id": "rom_00000000001",
      "name": "Open",
      "type": "public",
      "sequence": 1,
      "members_count": 1,
      "last_message": null,
      "unread_count": 0,
      "membership": {
        "member": "alice",
        "role": "owner",
        "muted_until": null,
        "read_sequence": 1,
        "joined_at": "2026-11-02T09:01:00.000Z",
        "notifications_muted": false
      },
      "created_at": "2026-11-02T09:00:00.000Z"
    }
  },
  "POST /chat/rooms/{room_id}/members": {
    "200": {
      "member": "alice",
      "role": "owner",
      "muted_until": null,
      "read_sequence": 1,
      "joined_at": "2026-11-02T09:00:00.000Z",
      "notifications_muted": false
    },
    "201": {
      "member": "client:demo",
      "role": "member",
      "muted_until": "2026-11-02T09:01:00.000Z",
      "read_sequence": 7,
      "joined_at": "2026-11-02T09:00:00.000Z",
      "notifications_muted": false
    }
  },
  "POST /chat/rooms/{room_id}/messages": {
    "200": {
      "message_id": "msg_00000000001",
      "room_id": "rom_00000000001",
      "sequence": 6,
      "author": "alice",
      "text": "edit 1",
      "client_message_id": "0",
      "parent_id": null,
      "reply_count": 4,
      "reactions": [
        {
          "emoji": "❤️",
          "count": 1
        }
      ],
      "created_at": "2026-11-02T09:00:00.000Z",
      "edited_at": "2026-11-02T09:01:00.000Z",
      "deleted_at": null
    },
    "201": {
      "message_id": "msg_00000000001",
      "room_id": "rom_00000000001",
      "sequence": 16,
      "author": "bob",
      "text": "same",
      "client_message_id": "1",
      "parent_id": null,
      "reply_count": 0,
      "reactions": [],
      "created_at": "2026-11-02T09:00:00.000Z",
      "edited_at": null,
      "deleted_at": null
    }
  },
  "POST /demo/deposits": {
    "201": {
      "account_id": "acc_00000000001",
      "deposits": [
        {
          "asset": "USD",
          "amount": "100000"
        }
      ]
    }
  },
  "POST /event-groups/{event_group_id}/merge": {
    "200": {
      "event_group_id": "CUP",
      "account_id": "acc_00000000001",
      "size": "10"
    }
  },
  "POST /event-groups/{event_group_id}/split": {
    "200": {
      "event_group_id": "CUP",
      "account_id": "acc_00000000001",
      "size": "10"
    }
  },
  "POST /kyc": {
    "202": {
      "kyc_id": "kyc_00000000001",
      "status": "rejected",
      "level": 0,
      "reasons": [
        {
          "code": "requirements_not_met",
          "message": "Submit a new case that meets the requirements."
        }
      ],
      "requirements": [
        {
          "field": "date_of_birth",
          "code": "too_young",
          "message": "You must be at least 18 years old."
        }
      ],
      "person": {
        "name": "A*** E***",
        "document_type": "passport",
        "document_number": "***540"
      },
      "document_expires_on": "2026-11-02",
      "created_at": "2026-11-02T09:00:00.000Z",
      "updated_at": "2026-11-02T09:01:00.000Z",
      "decided_at": "2026-11-02T09:01:00.000Z"
    }
  },
  "POST /kyc-callbacks/{provider}": {
    "200": {
      "received": true
    }
  },
  "POST /kyc/{kyc_id}/images": {
    "201": {
      "image_id": "kim_00000000001",
      "side": "back",
      "media_type": "image/png",
      "size_bytes": 110,
      "created_at": "2026-11-02T09:00:00.000Z"
    }
  },
  "POST /matched-bets": {
    "200": {
      "matched_bet_id": "mbt_00000000001",
      "quote_id": "qte_00000000001",
      "order_id": "ord_00000000001",
      "account_id": "acc_00000000001",
      "side": "back",
      "market_id": "BETS-31",
      "size": "10",
      "average_price": "0.4",
      "notional": "4",
      "fee": "0",
      "total": "4",
      "odds": "2.5",
      "stake": "4",
      "liability": "4",
      "payout": "10",
      "created_at": "2026-11-02T09:00:00.000Z",
      "sequence": 2,
      "fills": [
        {
          "fill_id": "fil_00000000001",
          "trade_id": "trd_00000000001",
          "order_id": "ord_00000000001",
          "market_id": "BETS-31",
          "side": "buy",
          "price": "0.4",
          "size": "10",
          "fee": "0",
          "fee_asset": "USD",
          "liquidity": "taker",
          "executed_at": "2026-11-02T09:00:00.000Z",
          "sequence": 2
        }
      ]
    },
    "201": {
      "matched_bet_id": "mbt_00000000001",
      "quote_id": "qte_00000000001",
      "order_id": "ord_00000000001",
      "account_id": "acc_00000000001",
      "side": "back",
      "market_id": "BETS-32",
      "size": "5",
      "average_price": "0.4",
      "notional": "2",
      "fee": "0",
      "total": "2",
      "odds": "2.5",
      "stake": "2",
      "liability": "2",
      "payout": "5",
      "created_at": "2026-11-02T09:00:00.000Z",
      "sequence": 6,
      "fills": [
        {
          "fill_id": "fil_00000000001",
          "trade_id": "trd_00000000001",
          "order_id": "ord_00000000001",
          "market_id": "BETS-32",
          "side": "buy",
          "price": "0.4",
          "size": "5",
          "fee": "0",
          "fee_asset": "USD",
          "liquidity": "taker",
          "executed_at": "2026-11-02T09:00:00.000Z",
          "sequence": 6
        }
      ]
    }
  },
  "POST /matched-bets/preview": {
    "200": {
      "quote_id": "qte_00000000001",
      "side": "back",
      "market_id": "BETS-35",
      "size": "100",
      "average_price": "0.405",
      "notional": "40.5",
      "fee": "0",
      "total": "40.5",
      "odds": "2.469135802469135802",
      "stake": "40.5",
      "liability": "40.5",
      "payout": "100",
      "fills": [
        {
          "price": "0.3",
          "size": "10",
          "fee": "0"
        }
      ]
    }
  },
  "POST /news/webhooks": {
    "201": {
      "webhook_id": "whk_00000000001",
      "url": "https://tradepost.example/hook-14",
      "ordered": false,
      "event_types": [
        "news.published",
        "news.updated",
        "news.removed"
      ],
      "filter": {
        "symbols": [
          "ETH-USD",
          "BTC-USD"
        ]
      },
      "credential": {
        "kind": "client",
        "id": "demo"
      },
      "disabled": false,
      "disabled_reason": null,
      "disabled_at": null,
      "failing_since": null,
      "previous_secret_until": null,
      "created_at": "2026-11-02T09:00:00.000Z",
      "updated_at": "2026-11-02T09:00:00.000Z",
      "secret": "whsec_exampleexampleexampleexampleexampleexampleex"
    }
  },
  "POST /news/webhooks/{webhook_id}/deliveries/{delivery_id}/resend": {
    "200": {
      "delivery_id": "whd_00000000001",
      "event_id": "evt_00000000001",
      "event_type": "news.published",
      "status": "pending",
      "attempts_made": 10,
      "next_attempt_at": "2026-11-02T09:01:00.000Z",
      "created_at": "2026-11-02T09:00:00.000Z",
      "updated_at": "2026-11-02T09:01:00.000Z"
    }
  },
  "POST /news/webhooks/{webhook_id}/recover": {
    "200": {
      "recovered": 0
    }
  },
  "POST /news/webhooks/{webhook_id}/secret": {
    "200": {
      "webhook_id": "whk_00000000001",
      "url": "https://tradepost.example/",
      "ordered": false,
      "event_types": [
        "news.published",
        "news.updated",
        "news.removed"
      ],
      "filter": {},
      "credential": {
        "kind": "client",
        "id": "demo"
      },
      "disabled": false,
      "disabled_reason": null,
      "disabled_at": null,
      "failing_since": null,
      "previous_secret_until": "2026-11-02T09:02:00.000Z",
      "created_at": "2026-11-02T09:00:00.000Z",
      "updated_at": "2026-11-02T09:01:00.000Z",
      "secret": "whsec_exampleexampleexampleexampleexampleexampleex"
    }
  },
  "POST /news/webhooks/{webhook_id}/test": {
    "201": {
      "delivery_id": "whd_00000000001",
      "event_id": "evt_00000000001",
      "event_type": "webhook.test",
      "status": "pending",
      "attempts_made": 0,
      "next_attempt_at": "2026-11-02T09:00:00.000Z",
      "created_at": "2026-11-02T09:00:00.000Z",
      "updated_at": "2026-11-02T09:00:00.000Z"
    }
  },
  "POST /oauth/introspect": {
    "200": {
      "active": true,
      "scope": "account:read markets:trade",
      "client_id": "shop",
      "username": "alice",
      "token_type": "Bearer",
      "exp": 1793610000,
      "iat": 1793610000,
      "sub": "user:2",
      "iss": "https://tradepost.example"
    }
  },
  "POST /oauth/revoke": {
    "200": {}
  },
  "POST /oauth/token": {
    "200": {
      "access_token": "tpa_exampleexampleexampleexampleexampleexamplee",
      "token_type": "Bearer",
      "expires_in": 3600,
      "refresh_token": "tpr_exampleexampleexampleexampleexampleexamplee",
      "scope": "admin"
    }
  },
  "POST /order-lists": {
    "200": {
      "order_list_id": "olt_00000000001",
      "client_order_list_id": "pair-LIST-11",
      "account_id": "acc_00000000001",
      "market_id": "LIST-11",
      "type": "oco",
      "status": "open",
      "orders": [
        {
          "order_id": "ord_00000000001",
          "account_id": "acc_00000000001",
          "client_order_id": null,
          "market_id": "LIST-11",
          "side": "sell",
          "type": "stop",
          "time_in_force": "GTC",
          "price": null,
          "stop_price": "90",
          "best_price": null,
          "trigger": "last",
          "size": "1",
          "quote_size": null,
          "display_size": null,
          "order_list_id": "olt_00000000001",
          "origin": null,
          "trailing_offset": null,
          "trailing_percent": null,
          "expires_at": null,
          "post_only": false,
          "reduce_only": false,
          "self_trade_prevention": "cancel_newest",
          "status": "untriggered",
          "status_reason": null,
          "filled_size": "0",
          "remaining_size": "1",
          "average_fill_price": null,
          "fees": "0",
          "created_at": "2026-11-02T09:00:00.000Z",
          "updated_at": "2026-11-02T09:00:00.000Z",
          "sequence": 1
        }
      ],
      "created_at": "2026-11-02T09:00:00.000Z"
    },
    "201": {
      "order_list_id": "olt_00000000001",
      "client_order_list_id": null,
      "account_id": "acc_00000000001",
      "market_id": "LIST-2",
      "type": "oco",
      "status": "open",
      "orders": [
        {
          "order_id": "ord_00000000001",
          "account_id": "acc_00000000001",
          "client_order_id": null,
          "market_id": "LIST-2",
          "side": "buy",
          "type": "stop_limit",
          "time_in_force": "GTC",
          "price": "112",
          "stop_price": "110",
          "best_price": null,
          "trigger": "last",
          "size": "1",
          "quote_size": null,
          "display_size": null,
          "order_list_id": "olt_00000000001",
          "origin": null,
          "trailing_offset": null,
          "trailing_percent": null,
          "expires_at": null,
          "post_only": false,
          "reduce_only": false,
          "self_trade_prevention": "cancel_newest",
          "status": "untriggered",
          "status_reason": null,
          "filled_size": "0",
          "remaining_size": "1",
          "average_fill_price": null,
          "fees": "0",
          "created_at": "2026-11-02T09:00:00.000Z",
          "updated_at": "2026-11-02T09:00:00.000Z",
          "sequence": 1
        }
      ],
      "created_at": "2026-11-02T09:00:00.000Z"
    }
  },
  "POST /order-lists/preview": {
    "200": {
      "orders": [
        {
          "status": "partially_filled",
          "status_reason": null,
          "fills": [
            {
              "price": "100",
              "size": "0.5",
              "fee": "0.05"
            }
          ],
          "filled_size": "0.5",
          "remaining_size": "1.5",
          "average_fill_price": "100",
          "notional": "50",
          "fees": "0.05",
          "hold": {
            "asset": "USD",
            "amount": "150.15"
          },
          "queue_ahead_size": "0",
          "netting": null
        }
      ]
    }
  },
  "POST /orders": {
    "200": {
      "order_id": "ord_00000000001",
      "account_id": "acc_00000000001",
      "client_order_id": "c-TEST-29",
      "market_id": "TEST-29",
      "side": "buy",
      "type": "limit",
      "time_in_force": "GTC",
      "price": "100",
      "stop_price": null,
      "best_price": null,
      "trigger": null,
      "size": "1",
      "quote_size": null,
      "display_size": null,
      "order_list_id": null,
      "origin": null,
      "trailing_offset": null,
      "trailing_percent": null,
      "expires_at": null,
      "post_only": false,
      "reduce_only": false,
      "self_trade_prevention": "cancel_newest",
      "status": "filled",
      "status_reason": null,
      "filled_size": "1",
      "remaining_size": "0",
      "average_fill_price": "100",
      "fees": "0",
      "created_at": "2026-11-02T09:00:00.000Z",
      "updated_at": "2026-11-02T09:01:00.000Z",
      "sequence": 2,
      "fills": [
        {
          "fill_id": "fil_00000000001",
          "trade_id": "trd_00000000001",
          "order_id": "ord_00000000001",
          "market_id": "TEST-29",
          "side": "buy",
          "price": "100",
          "size": "1",
          "fee": "0",
          "fee_asset": "USD",
          "liquidity": "maker",
          "executed_at": "2026-11-02T09:01:00.000Z",
          "sequence": 2
        }
      ]
    },
    "201": {
      "order_id": "ord_00000000001",
      "account_id": "acc_00000000001",
      "client_order_id": null,
      "market_id": "TEST-4",
      "side": "buy",
      "type": "limit",
      "time_in_force": "IOC",
      "price": "100",
      "stop_price": null,
      "best_price": null,
      "trigger": null,
      "size": "2",
      "quote_size": null,
      "display_size": null,
      "order_list_id": null,
      "origin": null,
      "trailing_offset": null,
      "trailing_percent": null,
      "expires_at": null,
      "post_only": false,
      "reduce_only": false,
      "self_trade_prevention": "cancel_newest",
      "status": "cancelled",
      "status_reason": "ioc_remainder",
      "filled_size": "1",
      "remaining_size": "1",
      "average_fill_price": "100",
      "fees": "0",
      "created_at": "2026-11-02T09:00:00.000Z",
      "updated_at": "2026-11-02T09:00:00.000Z",
      "sequence": 2,
      "fills": [
        {
          "fill_id": "fil_00000000001",
          "trade_id": "trd_00000000001",
          "order_id": "ord_00000000001",
          "market_id": "TEST-4",
          "side": "buy",
          "price": "100",
          "size": "1",
          "fee": "0",
          "fee_asset": "USD",
          "liquidity": "taker",
          "executed_at": "2026-11-02T09:00:00.000Z",
          "sequence": 2
        }
      ]
    }
  },
  "POST /orders/batch": {
    "200": {
      "results": [
        {
          "status": 201,
          "order": {
            "order_id": "ord_00000000001",
            "account_id": "acc_00000000001",
            "client_order_id": null,
            "market_id": "BATCH-1",
            "side": "buy",
            "type": "limit",
            "time_in_force": "GTC",
            "price": "100",
            "stop_price": null,
            "best_price": null,
            "trigger": null,
            "size": "1",
            "quote_size": null,
            "display_size": null,
            "order_list_id": null,
            "origin": null,
            "trailing_offset": null,
            "trailing_percent": null,
            "expires_at": null,
            "post_only": false,
            "reduce_only": false,
            "self_trade_prevention": "cancel_newest",
            "status": "filled",
            "status_reason": null,
            "filled_size": "1",
            "remaining_size": "0",
            "average_fill_price": "100",
            "fees": "0",
            "created_at": "2026-11-02T09:00:00.000Z",
            "updated_at": "2026-11-02T09:00:00.000Z",
            "sequence": 2,
            "fills": [
              {
                "fill_id": "fil_00000000001",
                "trade_id": "trd_00000000001",
                "order_id": "ord_00000000001",
                "market_id": "BATCH-1",
                "side": "buy",
                "price": "100",
                "size": "1",
                "fee": "0",
                "fee_asset": "USD",
                "liquidity": "taker",
                "executed_at": "2026-11-02T09:00:00.000Z",
                "sequence": 2
              }
            ]
          }
        }
      ]
    }
  },
  "POST /orders/cancel": {
    "200": {
      "results": [
        {
          "order_id": "ord_00000000001",
          "client_order_id": "mine-CANCEL-1",
          "status": 200,
          "order": {
            "order_id": "ord_00000000001",
            "account_id": "acc_00000000001",
            "client_order_id": "mine-CANCEL-1",
            "market_id": "CANCEL-1",
            "side": "buy",
            "type": "limit",
            "time_in_force": "GTC",
            "price": "101",
            "stop_price": null,
            "best_price": null,
            "trigger": null,
            "size": "1",
            "quote_size": null,
            "display_size": null,
            "order_list_id": null,
            "origin": null,
            "trailing_offset": null,
            "trailing_percent": null,
            "expires_at": null,
            "post_only": false,
            "reduce_only": false,
            "self_trade_prevention": "cancel_newest",
            "status": "cancelled",
            "status_reason": "requested",
            "filled_size": "0",
            "remaining_size": "1",
            "average_fill_price": null,
            "fees": "0",
            "created_at": "2026-11-02T09:00:00.000Z",
            "updated_at": "2026-11-02T09:01:00.000Z",
            "sequence": 6,
            "fills": []
          }
        }
      ]
    }
  },
  "POST /orders/cancel-after": {
    "200": {
      "account_id": "acc_00000000001",
      "triggers_at": "2026-11-02T09:00:00.000Z"
    }
  },
  "POST /orders/preview": {
    "200": {
      "status": "filled",
      "status_reason": null,
      "fills": [
        {
          "price": "0.3",
          "size": "10",
          "fee": "0"
        }
      ],
      "filled_size": "10",
      "remaining_size": "0",
      "average_fill_price": "0.3",
      "notional": "3",
      "fees": "0",
      "hold": {
        "asset": "USD",
        "amount": "0"
      },
      "queue_ahead_size": null,
      "netting": {
        "merged_size": "10",
        "converted_size": "0",
        "amount": "10",
        "released": "0"
      }
    }
  },
  "POST /orders/{order_id}/amend/preview": {
    "200": {
      "status": "partially_filled",
      "status_reason": null,
      "fills": [
        {
          "price": "0.5",
          "size": "6",
          "fee": "0.06"
        }
      ],
      "filled_size": "10",
      "remaining_size": "10",
      "average_fill_price": "0.46",
      "notional": "4.6",
      "fees": "0.076",
      "hold": {
        "asset": "USD",
        "amount": "5.1"
      },
      "queue_ahead_size": "0",
      "netting": null
    }
  },
  "POST /orders/{order_id}/cancel/preview": {
    "200": {
      "remaining_size": "10",
      "released": {
        "asset": "USD",
        "amount": "3.12"
      }
    }
  },
  "POST /orders/{order_id}/replace": {
    "200": {
      "replaced": {
        "order_id": "ord_00000000001",
        "account_id": "acc_00000000001",
        "client_order_id": null,
        "market_id": "REPLACE-19",
        "side": "buy",
        "type": "limit",
        "time_in_force": "GTC",
        "price": "100",
        "stop_price": null,
        "best_price": null,
        "trigger": null,
        "size": "1",
        "quote_size": null,
        "display_size": null,
        "order_list_id": null,
        "origin": null,
        "trailing_offset": null,
        "trailing_percent": null,
        "expires_at": null,
        "post_only": false,
        "reduce_only": false,
        "self_trade_prevention": "cancel_newest",
        "status": "cancelled",
        "status_reason": "replaced",
        "filled_size": "0",
        "remaining_size": "1",
        "average_fill_price": null,
        "fees": "0",
        "created_at": "2026-11-02T09:00:00.000Z",
        "updated_at": "2026-11-02T09:01:00.000Z",
        "sequence": 2,
        "fills": []
      },
      "order": {
        "order_id": "ord_00000000002",
        "account_id": "acc_00000000001",
        "client_order_id": "once-REPLACE-19",
        "market_id": "REPLACE-19",
        "side": "buy",
        "type": "limit",
        "time_in_force": "GTC",
        "price": "90",
        "stop_price": null,
        "best_price": null,
        "trigger": null,
        "size": "1",
        "quote_size": null,
        "display_size": null,
        "order_list_id": null,
        "origin": null,
        "trailing_offset": null,
        "trailing_percent": null,
        "expires_at": null,
        "post_only": false,
        "reduce_only": false,
        "self_trade_prevention": "cancel_newest",
        "status": "open",
        "status_reason": null,
        "filled_size": "0",
        "remaining_size": "1",
        "average_fill_price": null,
        "fees": "0",
        "created_at": "2026-11-02T09:01:00.000Z",
        "updated_at": "2026-11-02T09:01:00.000Z",
        "sequence": 2,
        "fills": []
      }
    },
    "201": {
      "replaced": {
        "order_id": "ord_00000000001",
        "account_id": "acc_00000000001",
        "client_order_id": null,
        "market_id": "REPLACE-4",
        "side": "buy",
        "type": "limit",
        "time_in_force": "GTC",
        "price": "100",
        "stop_price": null,
        "best_price": null,
        "trigger": null,
        "size": "3",
        "quote_size": null,
        "display_size": null,
        "order_list_id": null,
        "origin": null,
        "trailing_offset": null,
        "trailing_percent": null,
        "expires_at": null,
        "post_only": false,
        "reduce_only": false,
        "self_trade_prevention": "cancel_newest",
        "status": "cancelled",
        "status_reason": "replaced",
        "filled_size": "1",
        "remaining_size": "2",
        "average_fill_price": "100",
        "fees": "0",
        "created_at": "2026-11-02T09:00:00.000Z",
        "updated_at": "2026-11-02T09:02:00.000Z",
        "sequence": 3,
        "fills": [
          {
            "fill_id": "fil_00000000001",
            "trade_id": "trd_00000000001",
            "order_id": "ord_00000000001",
            "market_id": "REPLACE-4",
            "side": "buy",
            "price": "100",
            "size": "1",
            "fee": "0",
            "fee_asset": "USD",
            "liquidity": "maker",
            "executed_at": "2026-11-02T09:01:00.000Z",
            "sequence": 2
          }
        ]
      },
      "order": {
        "order_id": "ord_00000000002",
        "account_id": "acc_00000000001",
        "client_order_id": null,
        "market_id": "REPLACE-4",
        "side": "buy",
        "type": "limit",
        "time_in_force": "GTC",
        "price": "101",
        "stop_price": null,
        "best_price": null,
        "trigger": null,
        "size": "2",
        "quote_size": null,
        "display_size": null,
        "order_list_id": null,
        "origin": null,
        "trailing_offset": null,
        "trailing_percent": null,
        "expires_at": null,
        "post_only": false,
        "reduce_only": false,
        "self_trade_prevention": "cancel_newest",
        "status": "open",
        "status_reason": null,
        "filled_size": "0",
        "remaining_size": "2",
        "average_fill_price": null,
        "fees": "0",
        "created_at": "2026-11-02T09:02:00.000Z",
        "updated_at": "2026-11-02T09:02:00.000Z",
        "sequence": 3,
        "fills": []
      }
    }
  },
  "POST /orders/{order_id}/replace/preview": {
    "200": {
      "replaced": {
        "remaining_size": "2",
        "released": {
          "asset": "USD",
          "amount": "200"
        }
      },
      "order": {
        "status": "partially_filled",
        "status_reason": null,
        "fills": [
          {
            "price": "101",
            "size": "1",
            "fee": "0"
          }
        ],
        "filled_size": "1",
        "remaining_size": "2",
        "average_fill_price": "101",
        "notional": "101",
        "fees": "0",
        "hold": {
          "asset": "USD",
          "amount": "202"
        },
        "queue_ahead_size": "0",
        "netting": null
      }
    }
  },
  "POST /payout-accounts": {
    "201": {
      "payout_account_id": "pac_00000000001",
      "type": "iban",
      "holder_name": "Lea Ver",
      "last4": "3000",
      "bic": null,
      "currency": "EUR",
      "status": "active",
      "holder_name_check": "match",
      "created_at": "2026-11-02T09:00:00.000Z"
    }
  },
  "POST /payouts": {
    "201": {
      "payout_id": "pay_00000000001",
      "payout_account_id": "pac_00000000001",
      "account_id": "acc_00000000001",
      "amount": "1",
      "requested_amount": "1",
      "currency": "EUR",
      "fee": "0",
      "status": "pending_approval",
      "code": "holder_name_mismatch",
      "message": "The holder of the account is not named as in the KYC record: an operator has to approve it.",
      "reference": "Winnings",
      "created_at": "2026-11-02T09:00:00.000Z",
      "updated_at": "2026-11-02T09:01:00.000Z"
    }
  },
  "POST /pet": {
    "200": {
      "id": 11,
      "category": {
        "id": 7,
        "name": "Añejo"
      },
      "name": "Rex 🐕 Ünïcode ‏שלום",
      "photoUrls": [
        "https://example.com/rex.jpg",
        "string",
        "/rex.png"
      ],
      "tags": [
        {
          "id": 8,
          "name": "é"
        }
      ],
      "status": "sold"
    }
  },
  "POST /pet/{petId}": {
    "200": {
      "id": 11,
      "category": {
        "id": 7,
        "name": "Dogs"
      },
      "name": "Ben v2",
      "photoUrls": [
        "https://example.com/rex.jpg"
      ],
      "tags": [
        {
          "id": 8,
          "name": "tag-v2"
        }
      ],
      "status": "pending"
    }
  },
  "POST /pet/{petId}/uploadImage": {
    "200": {
      "code": 200,
      "type": "image/gif",
      "message": "Stored as https://tradepost.example/pet-images/ae4b4c55d8f1c63337a3faf0c1da05fc.gif (64 bytes)."
    }
  },
  "POST /quotes": {
    "201": {
      "quote_id": "qte_00000000001",
      "account_id": "acc_00000000001",
      "status": "open",
      "side": "buy",
      "market_id": "BETS-13",
      "size": "5",
      "average_price": "0.4",
      "notional": "2",
      "fee": "0",
      "total": "2",
      "odds": "2.5",
      "stake": "2",
      "liability": "2",
      "payout": "5",
      "limit_price": "0.4",
      "expires_at": "2026-11-02T09:01:00.000Z",
      "created_at": "2026-11-02T09:00:00.000Z",
      "sequence": 1,
      "matched_bet_id": null
    }
  },
  "POST /quotes/mass": {
    "200": {
      "quotes": [
        {
          "market_id": "QUOTED-1",
          "bid": {
            "order": {
              "order_id": "ord_00000000001",
              "account_id": "acc_00000000001",
              "client_order_id": null,
              "market_id": "QUOTED-1",
              "side": "buy",
              "type": "limit",
              "time_in_force": "GTC",
              "price": "99",
              "stop_price": null,
              "best_price": null,
              "trigger": null,
              "size": "1",
              "quote_size": null,
              "display_size": null,
              "order_list_id": null,
              "origin": "mass_quote",
              "trailing_offset": null,
              "trailing_percent": null,
              "expires_at": null,
              "post_only": true,
              "reduce_only": false,
              "self_trade_prevention": "cancel_newest",
              "status": "open",
              "status_reason": null,
              "filled_size": "0",
              "remaining_size": "1",
              "average_fill_price": null,
              "fees": "0",
              "created_at": "2026-11-02T09:00:00.000Z",
              "updated_at": "2026-11-02T09:00:00.000Z",
              "sequence": 1,
              "fills": []
            }
          },
          "ask": {
            "order": {
              "order_id": "ord_00000000002",
              "account_id": "acc_00000000001",
              "client_order_id": null,
              "market_id": "QUOTED-1",
              "side": "sell",
              "type": "limit",
              "time_in_force": "GTC",
              "price": "101",
              "stop_price": null,
              "best_price": null,
              "trigger": null,
              "size": "1",
              "quote_size": null,
              "display_size": null,
              "order_list_id": null,
              "origin": "mass_quote",
              "trailing_offset": null,
              "trailing_percent": null,
              "expires_at": null,
              "post_only": true,
              "reduce_only": false,
              "self_trade_prevention": "cancel_newest",
              "status": "open",
              "status_reason": null,
              "filled_size": "0",
              "remaining_size": "1",
              "average_fill_price": null,
              "fees": "0",
              "created_at": "2026-11-02T09:00:00.000Z",
              "updated_at": "2026-11-02T09:00:00.000Z",
              "sequence": 1,
              "fills": []
            }
          }
        }
      ]
    }
  },
  "POST /store/order": {
    "200": {
      "id": 1,
      "petId": 12,
      "quantity": 7,
      "shipDate": "2026-11-02T09:00:00.000Z",
      "status": "placed",
      "complete": false
    }
  },
  "POST /user": {
    "200": {
      "id": 4,
      "username": "Carol",
      "firstName": "Carol",
      "lastName": "Jones",
      "email": "carol@example.com",
      "password": "********",
      "phone": "555",
      "userStatus": 0
    }
  },
  "POST /user/createWithArray": {
    "200": [
      {
        "id": 7,
        "username": "eve-v2",
        "firstName": "Ann",
        "lastName": "Lee",
        "email": "eve@example.com",
        "password": "********",
        "phone": "+351 210 000 000",
        "userStatus": 0
      }
    ]
  },
  "POST /user/createWithList": {
    "200": {
      "id": 5,
      "username": "cat-v2",
      "firstName": "Ann",
      "lastName": "Lee",
      "email": "cat@example.com",
      "password": "********",
      "phone": "+351 210 000 000",
      "userStatus": 0
    }
  },
  "POST /user/exclusion": {
    "200": {
      "since": "2026-11-02T09:00:00.000Z",
      "until": "2026-11-02T09:01:00.000Z"
    }
  },
  "POST /user/exports": {
    "202": {
      "export_id": "exp_00000000001",
      "status": "pending",
      "progress": {
        "sections_done": 0,
        "sections_total": 29,
        "rows": 0
      },
      "created_at": "2026-11-02T09:00:00.000Z",
      "ready_at": null,
      "expires_at": null,
      "size_bytes": null,
      "sha256": null,
      "download_url": null
    }
  },
  "POST /user/passkeys": {
    "201": {
      "passkey_id": "psk_00000000001",
      "name": "x",
      "transports": [
        "internal"
      ],
      "aaguid": "01890000-0000-7000-8000-000000000001",
      "is_backed_up": false,
      "created_at": "2026-11-02T09:00:00.000Z",
      "last_used_at": null,
      "recovery_codes": [
        "exampleexampleexampleexa",
        "exampleexampleexampleexa",
        "exampleexampleexampleexa"
      ]
    }
  },
  "POST /user/passkeys/log-in": {
    "200": {
      "token": "tpa_exampleexampleexampleexampleexampleexamplee",
      "expires_at": "2026-11-02T09:00:00.000Z"
    }
  },
  "POST /user/passkeys/log-in/options": {
    "200": {
      "rpId": "127.0.0.1",
      "challenge": "a8SE0pCEj72JcE0yRRlyN3oXQfCXvpwPhK1rlix-qHQ",
      "allowCredentials": [],
      "timeout": 300000,
      "userVerification": "required"
    }
  },
  "POST /user/passkeys/options": {
    "200": {
      "challenge": "a8SE0pCEj72JcE0yRRlyN3oXQfCXvpwPhK1rlix-qHQ",
      "rp": {
        "name": "Tradepost",
        "id": "127.0.0.1"
      },
      "user": {
        "id": "MQ",
        "name": "first",
        "displayName": "first"
      },
      "pubKeyCredParams": [
        {
          "alg": -8,
          "type": "public-key"
        }
      ],
      "timeout": 300000,
      "attestation": "none",
      "excludeCredentials": [
        {
          "id": "Mn-8r8kW4YfR3UVBSmE36sjXiqvOXFMbvWexraidwUo",
          "transports": [
            "internal"
          ],
          "type": "public-key"
        }
      ],
      "authenticatorSelection": {
        "residentKey": "required",
        "userVerification": "required",
        "requireResidentKey": true
      },
      "extensions": {
        "credProps": true
      },
      "hints": []
    }
  },
  "POST /user/step-up/options": {
    "200": {
      "rpId": "127.0.0.1",
      "challenge": "a8SE0pCEj72JcE0yRRlyN3oXQfCXvpwPhK1rlix-qHQ",
      "allowCredentials": [
        {
          "id": "Mn-8r8kW4YfR3UVBSmE36sjXiqvOXFMbvWexraidwUo",
          "transports": [
            "internal"
          ],
          "type": "public-key"
        }
      ],
      "timeout": 300000,
      "userVerification": "required"
    }
  },
  "POST /user/totp": {
    "201": {
      "secret": "exampleexampleexampleexampleexam",
      "otpauth_url": "otpauth://totp/Tradepost:first?secret=XDXJRJBGRWBKD7LUF3MZJXU5ZHNMGRYU&issuer=Tradepost"
    }
  },
  "POST /user/totp/confirm": {
    "200": {
      "recovery_codes": [
        "exampleexampleexampleexa",
        "exampleexampleexampleexa",
        "exampleexampleexampleexa"
      ]
    }
  },
  "POST /user/totp/recovery-codes": {
    "200": {
      "recovery_codes": [
        "exampleexampleexampleexa",
        "exampleexampleexampleexa",
        "exampleexampleexampleexa"
      ]
    }
  },
  "POST /wallets": {
    "201": {
      "wallet_id": "wlt_00000000001",
      "account_id": "acc_00000000001",
      "name": "@me",
      "balances": [],
      "created_at": "2026-11-02T09:00:00.000Z"
    }
  },
  "POST /wallets/{wallet_id}/addresses": {
    "201": {
      "address_id": "adr_00000000001",
      "chain": "ethereum",
      "purpose": "deposit",
      "deposit_minimums": [
        {
          "asset": "ETH",
          "minimum": "0.01"
        }
      ],
      "address": "0x6ba914a9759a568ebf8a3b173c82e0d7e55df1dd",
      "derivation_path": "m/44'/60'/0'/0/0",
      "public_key": "0xdf1b179d230337e32f3b696e9867a1f62e018bde5e002b4f48e150d57e7bdf634d",
      "label": "Customer 1 – ü",
      "created_at": "2026-11-02T09:00:00.000Z",
      "gap": 1
    }
  },
  "POST /wallets/{wallet_id}/destinations": {
    "201": {
      "destination_id": "dst_00000000001",
      "chain": "ethereum",
      "address": "0x6ba914a9759a568ebf8a3b173c82e0d7e55df1dd",
      "label": "New",
      "created_at": "2026-11-02T09:00:00.000Z",
      "effective_at": "2026-11-02T09:00:00.000Z"
    }
  },
  "POST /wallets/{wallet_id}/sign": {
    "200": {
      "signature_id": "sig_00000000001",
      "signature": "QZZ4T63ADK4Hbs7_loRl6IvhQf_cja9uYOawqRH3vuIEbTM7V-M8o1CnVzfTUSuK6G8XuHNCwmgvzbT2xfca60o",
      "digest": "0x8e69f1270f8b98dbdc74417113748f5ee3077567082efa39e807c936ca4e4ba9",
      "scheme": "solana_offchain"
    }
  },
  "POST /wallets/{wallet_id}/transfers": {
    "201": {
      "transfer_id": "trf_00000000001",
      "wallet_id": "wlt_00000000001",
      "direction": "out",
      "status": "cancelled",
      "reason": null,
      "asset": "ETH",
      "amount": "1.5",
      "fee": "0",
      "fee_asset": "ETH",
      "source": {
        "type": "wallet",
        "wallet_id": "wlt_00000000001"
      },
      "destination": {
        "type": "address",
        "chain": "ethereum",
        "address": "0x6ba914a9759a568ebf8a3b173c82e0d7e55df1dd"
      },
      "tx_hash": null,
      "confirmations": null,
      "client_transfer_id": "out-1",
      "created_at": "2026-11-02T09:00:00.000Z",
      "updated_at": "2026-11-02T09:01:00.000Z"
    }
  },
  "PUT /admin/accounts/{account_id}/fee-schedule": {
    "200": {
      "account_id": "acc_00000000001",
      "name": "vip"
    }
  },
  "PUT /admin/blog/pages/{page_id}": {
    "200": {
      "page_id": "pag_00000000001",
      "slug": "elsewhere",
      "url": "https://tradepost.example/blog/pages/elsewhere",
      "title": "Page",
      "updated_at": "2026-11-02T09:01:00.000Z",
      "status": "published",
      "published_at": "2026-11-02T09:00:00.000Z",
      "version": 2,
      "created_at": "2026-11-02T09:00:00.000Z",
      "html": "<p>a</p>",
      "markdown": "a"
    }
  },
  "PUT /admin/blog/posts/{post_id}": {
    "200": {
      "post_id": "pst_00000000001",
      "slug": "kept-slug",
      "url": "https://tradepost.example/blog/posts/kept-slug",
      "title": "New title",
      "excerpt": "New.",
      "feature_image": null,
      "status": "published",
      "updated_at": "2026-11-02T09:02:00.000Z",
      "reading_time": 1,
      "category": null,
      "tags": [],
      "author": {
        "slug": "kept-author",
        "name": "Kept Author"
      },
      "published_at": "2026-11-02T09:00:00.000Z",
      "custom_excerpt": null,
      "version": 2,
      "created_at": "2026-11-02T09:01:00.000Z",
      "html": "<p>New.</p>",
      "markdown": "New."
    }
  },
  "PUT /admin/fee-schedules/{name}": {
    "200": {
      "name": "vip",
      "tiers": [
        {
          "volume_30d": "0",
          "maker_fee_rate": "-0.5",
          "taker_fee_rate": "0.5"
        }
      ],
      "volume_asset": "USD",
      "accounts": 0,
      "rebates_capped": true,
      "updated_at": "2026-11-02T09:00:00.000Z"
    }
  },
  "PUT /admin/users/{username}/roles": {
    "200": {
      "username": "mule",
      "roles": [
        "operator:support"
      ]
    },
    "202": {
      "approval_id": "apv_00000000001",
      "kind": "operator_roles",
      "status": "pending",
      "subject": {
        "type": "user",
        "id": "mule"
      },
      "summary": "Let mule be an operator with operator:support, and with no other role.",
      "proposed_by": "user:4",
      "proposed_at": "2026-11-02T09:00:00.000Z",
      "decided_by": null,
      "decided_at": null,
      "reason": null,
      "expires_at": "2026-11-02T09:01:00.000Z"
    }
  },
  "PUT /chat/rooms/{room_id}/read": {
    "200": {
      "room_id": "rom_00000000001",
      "read_sequence": 3,
      "unread_count": 1
    }
  },
  "PUT /pet": {
    "200": {
      "id": 89,
      "category": {
        "id": 1,
        "name": "dogs"
      },
      "name": "Kit",
      "photoUrls": [
        "a.png",
        "b.png"
      ],
      "tags": [
        {
          "id": 117,
          "name": "x"
        }
      ],
      "status": "sold"
    }
  },
  "PUT /user/{username}": {
    "200": {
      "id": 4,
      "username": "ann-v2",
      "firstName": "Anna",
      "lastName": "Lee",
      "email": "ann@example.com",
      "password": "********",
      "phone": "+351 210 000 000",
      "userStatus": 0
    },
    "202": {
      "approval_id": "apv_00000000001",
      "kind": "credential_reset",
      "status": "pending",
      "subject": {
        "type": "user",
        "id": "third"
      },
      "summary": "Set another password for the operator third, which ends all sessions of theirs.",
      "proposed_by": "user:1",
      "proposed_at": "2026-11-02T09:00:00.000Z",
      "decided_by": null,
      "decided_at": null,
      "reason": null,
      "expires_at": "2026-11-02T09:01:00.000Z"
    }
  }
};
