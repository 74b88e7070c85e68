/** Clients that have recently signed in to an account: a list of limited length in the account's document. */
import type { Document } from "mongodb";
import { limits } from "../../contract/limits.ts";

export interface KnownClient {
  hash: string;
  seenAt: Date;
}

export interface KnownClients {
  knownDevices?: KnownClient[];
  knownAddresses?: KnownClient[];
}

/** An update that moves a client's hashes to the end of their lists, and removes the oldest entries of a full list. */
export function rememberedClient(hashes: { device: string; address?: string }, now: Date): Document[] {
  const { device, address } = hashes;
  return [
    {
      $set: {
        knownDevices: appended("$knownDevices", { hash: device, seenAt: now }, limits.knownDeviceMs),
        ...(address === undefined
          ? {}
          : {
              knownAddresses: appended(
                "$knownAddresses",
                { hash: address, seenAt: now },
                limits.knownAddressMs,
              ),
            }),
      },
    },
  ];
}

function appended(list: string, client: KnownClient, keptMs: number): Document {
  const since = new Date(client.seenAt.getTime() - keptMs);
  const others = {
    $filter: {
      input: { $ifNull: [list, []] },
      as: "one",
      cond: { $and: [{ $ne: ["$$one.hash", client.hash] }, { $gt: ["$$one.seenAt", since] }] },
    },
  };
  return { $slice: [{ $concatArrays: [others, [client]] }, -limits.knownClients] };
}
