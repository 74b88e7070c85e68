/** Folders and zips that are dropped on the editor, and uploads that are cancelled or fail, in a real browser. */
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after, describe, it } from "node:test";
import type { Page } from "playwright-core";
import type { FolderPayload } from "../../contract/payloads/organizations/folders.ts";
import type { ManifestPayload } from "../../contract/payloads/skills/skills.ts";
import { whyNoBrowser } from "../support/browser.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { until } from "../support/until.ts";
import { assertAccessible, setUpDashboard } from "../support/web/dashboard.ts";
import { makeZip, skillMd } from "../support/zip.ts";

const reason = whyNoBrowser();

/**
 * Drops a file or folder of this machine on the list of files, as from a file manager, once the page offers it. The
 * drag enters above the list, so the drop goes to an element that the drag has only just entered.
 */
async function drop(page: Page, dropped: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { x, y } = (await page.getByRole("region", { name: "Files" }).boundingBox())!;
  const data = { items: [], files: [dropped], dragOperationsMask: 1 };
  const send = (type: "dragEnter" | "dragOver" | "drop", top: number) =>
    session.send("Input.dispatchDragEvent", { type, x: x + 20, y: top, data });
  await until("the page takes what is dragged over it", async () => {
    await send("dragEnter", y / 2);
    await send("dragOver", y / 2);
    return page.locator('.drop[data-over="true"]').isVisible();
  });
  await send("drop", y + 20);
}

describe("uploads in the editor", { skip: reason ?? false }, async () => {
  const { service, owner, org } = await setUpOrganization();
  const dashboard = await setUpDashboard(service);

  const folder = await mkdtemp(path.join(os.tmpdir(), "svc-drop-"));
  await mkdir(path.join(folder, "dropped-folder/scripts"), { recursive: true });
  await mkdir(path.join(folder, "dropped-folder/.git"));
  const dropped = {
    "SKILL.md": skillMd("dropped-folder"),
    "scripts/check.py": "import sys\n\n\ndef check(name):\n    return name\n",
    ".git/config": "[core]\n",
  };
  for (const [name, text] of Object.entries(dropped))
    await writeFile(path.join(folder, "dropped-folder", name), text);
  const zip = makeZip([
    { name: "inside/SKILL.md", data: skillMd("dropped-zip") },
    { name: "inside/notes.md", data: "# Notes\n" },
  ]);
  await writeFile(path.join(folder, "dropped.zip"), zip);

  after(() => rm(folder, { recursive: true, force: true }));

  const publish = (page: Page) => page.getByRole("banner").getByRole("button", { name: /^Publish/ });
  const filesOf = async (slug: string) => {
    const found = await service.call<ManifestPayload>(
      "GET",
      `/api/skills/${org.slug}~${slug}/manifest`,
      owner,
    );
    return found.data.files.map((file) => file.path);
  };

  it("takes a folder with its subfolders, lists what it leaves out, and colors its code", async () => {
    const { page, troubles } = await dashboard.open(`/new?org=${org.slug}`, { user: owner });
    await publish(page).waitFor();
    await drop(page, path.join(folder, "dropped-folder"));
    await page.getByText("Added 2 files. Nothing is sent yet.").waitFor();
    await page.getByText('Left out: ".git/" (version control).').waitFor();
    await page.getByRole("region", { name: "Files" }).getByText("check.py").click();
    await page.locator(".cm-content .hljs-keyword").first().waitFor();
    await publish(page).click();

    await page.waitForURL(`**/${org.slug}/dropped-folder`);
    assert.deepEqual(await filesOf("dropped-folder"), ["SKILL.md", "scripts/check.py"]);
    assert.deepEqual(troubles, []);
  });

  it("publishes a folder of skills one by one, with their folders, and repeats one that failed", async () => {
    const many = path.join(folder, "team");
    const files = {
      "README.md": "# Our skills\n",
      "skills/review/alpha/SKILL.md": skillMd("alpha"),
      "skills/review/beta/SKILL.md": skillMd("beta"),
      "skills/review/beta/scripts/run.sh": "#!/bin/sh\n",
      "skills/house/RULE.md": "Write plainly.\n",
      "skills/broken/SKILL.md": "---\nname: [\n---\n",
    };
    for (const [name, text] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(many, name)), { recursive: true });
      await writeFile(path.join(many, name), text);
    }
    const { page, troubles } = await dashboard.open(`/new?org=${org.slug}`, { user: owner });
    await publish(page).waitFor();
    await drop(page, many);
    await page.getByRole("heading", { name: "4 skills in the folder" }).waitFor();
    await page.getByText("1 file belongs to no skill, and is left out").waitFor();
    const row = (name: string) => page.getByRole("row", { name: new RegExp(`skills/.*${name}`) });
    await row("broken").locator(".danger").waitFor();
    await assertAccessible(page, "a folder of skills");
    assert.equal(
      await page.getByRole("checkbox", { name: "Keep the folders that they are in" }).isChecked(),
      true,
    );
    const failure = { success: false, error: "The disk is full.", code: "internal", requestId: "request-1" };
    await page.route("**/api/skills", (route) => route.fulfill({ status: 500, json: failure }), { times: 1 });
    await publish(page).click();
    await page.getByText("The disk is full.").waitFor();
    await page.getByRole("button", { name: "Publish 1 skill" }).click();
    await page.getByRole("link", { name: "Open the library" }).waitFor();

    for (const [name, slug] of Object.entries({ alpha: "alpha", beta: "beta", house: "house" }))
      await row(name)
        .getByRole("link", { name: `${slug} 1.0.0` })
        .waitFor();
    assert.deepEqual(await filesOf("beta"), ["SKILL.md", "scripts/run.sh"]);
    const { data: folders } = await dashboard.service.call<FolderPayload[]>(
      "GET",
      `/api/tenants/${org.slug}/folders`,
      owner,
    );
    assert.ok(
      folders.some((one) => one.path === "review"),
      JSON.stringify(folders),
    );
    await page.getByRole("link", { name: "Open the library" }).click();
    const rule = page.getByRole("treegrid", { name: "Library" }).getByRole("row", { name: "house" });
    await rule.waitFor();
    const [whole, cell] = await Promise.all([
      rule.boundingBox(),
      rule.getByRole("gridcell").first().boundingBox(),
    ]);
    assert.ok(cell!.height <= whole!.height, `a cell of ${cell!.height} px in a row of ${whole!.height} px`);
    assert.deepEqual(
      troubles.filter((trouble) => !trouble.includes("500 (Internal Server Error)")),
      [],
    );
  });

  it("unpacks a zip, and keeps the files when its upload is cancelled", async () => {
    const { page, troubles } = await dashboard.open(`/new?org=${org.slug}`, { user: owner });
    await publish(page).waitFor();
    await drop(page, path.join(folder, "dropped.zip"));
    await page.getByText("Added 2 files. Nothing is sent yet.").waitFor();
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route("**/api/uploads/*", async (route) => {
      await held;
      await route.abort().catch(() => {});
    });
    await publish(page).click();
    await page.getByText("Sending", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("textbox", { name: "What changed" }).waitFor();
    release();
    await page.unroute("**/api/uploads/*");
    await publish(page).click();

    await page.waitForURL(`**/${org.slug}/dropped-zip`);
    assert.deepEqual(await filesOf("dropped-zip"), ["SKILL.md", "notes.md"]);
    assert.deepEqual(troubles, []);
  });

  it("continues a failed upload at the step that failed", async () => {
    const { page } = await dashboard.open(`/${org.slug}/dropped-folder/edit`, { user: owner });
    await publish(page).waitFor();
    const large = path.join(folder, "large.bin");
    await writeFile(large, Buffer.alloc(2_000_000, 1));
    await drop(page, large);
    await page.getByText("Added 1 file. Nothing is sent yet.").waitFor();
    const announced: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST" && request.url().endsWith("/api/uploads"))
        announced.push(request.url());
    });
    const failure = {
      success: false,
      error: "The disk is full.",
      code: "internal",
      requestId: "request-123",
    };
    await page.route("**/api/uploads/*", (route) => route.fulfill({ status: 500, json: failure }), {
      times: 1,
    });
    await publish(page).click();
    await page.getByText("The disk is full.").waitFor();
    await page.getByText("request-123").waitFor();
    await page.getByRole("button", { name: "Try again" }).click();

    await page.waitForURL(`**/${org.slug}/dropped-folder`);
    assert.equal(announced.length, 1);
    assert.ok((await filesOf("dropped-folder")).includes("large.bin"));
  });
});
