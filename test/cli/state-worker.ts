/** One of many processes that change the same config concurrently: adds one skill to it several times. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Context } from "../../cli/context.ts";
import { processIo } from "../../cli/run.ts";
import { profileOf } from "../../cli/state/config.ts";
import { changeConfig } from "../../cli/state/state.ts";
import { openOutput } from "../../cli/terminal/output.ts";

const [home, id, times] = process.argv.slice(2);
const io = { ...processIo(), home: home! };
const context: Context = {
  ...io,
  json: true,
  interactive: false,
  profileFlag: undefined,
  output: openOutput(io, true),
};

for (let i = 0; i < Number(times); i++)
  await changeConfig(context, async ({ config, save }) => {
    const profile = profileOf(config, "default");
    // Between reading and writing, so that an unguarded change would be lost.
    await sleep(1);
    profile.preferences[`${id}-${i}`] = i;
    await save();
  });
