/**
 * A process that is killed in the middle of a change: prints a line when it gets there, and must not print the next.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Context } from "../../cli/context.ts";
import { watchSignals } from "../../cli/interrupt.ts";
import { processIo } from "../../cli/run.ts";
import { profileOf } from "../../cli/state/config.ts";
import { changeConfig, withTemporaryFolder } from "../../cli/state/state.ts";
import { openOutput } from "../../cli/terminal/output.ts";

const io = { ...processIo(), home: process.argv[2]! };
const context: Context = {
  ...io,
  json: true,
  interactive: false,
  profileFlag: undefined,
  output: openOutput(io, true),
};

watchSignals();
await withTemporaryFolder(context, async () => {
  await changeConfig(context, async ({ config, save }) => {
    const { preferences } = profileOf(config, "default");
    preferences["first"] = 1;
    await save();
    process.stdout.write("locked\n");
    await sleep(1000);
    preferences["second"] = 2;
    await save();
  });
  await changeConfig(context, async ({ config, save }) => {
    profileOf(config, "default").preferences["third"] = 3;
    await save();
  });
});
