/** The connection to Redis for counters that every process shares. The queue has its own connections. */
import { Redis } from "ioredis";

export interface RedisConnection {
  client: Redis;
  close(): void;
}

/** Connects in the background. A command fails at once while Redis is unavailable, so that no request waits for it. */
export function openRedis(url: string, onError: (error: Error) => void): RedisConnection {
  const client = new Redis(url, { enableOfflineQueue: false, maxRetriesPerRequest: 1 });
  client.on("error", onError);
  return { client, close: () => client.disconnect() };
}
