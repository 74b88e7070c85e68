/** Clients that have signed in to an account: a bounded list in the account's document, without those of long ago. */
import type { Document } from "mongodb";
import { limits } from "../contract/limits.ts";

export interface KnownClient {
  hash: string;
  seenAt: Date;
}

export interface KnownClients {
  knownDevices?: KnownClient[];
  knownAddresses?: KnownClient[];
}

/** An update that puts a client's hashes last in their lists; the oldest entries of a full list go. */
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
