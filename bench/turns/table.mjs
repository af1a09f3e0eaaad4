/**
 * @typedef {{ readonly task: string, readonly client: import("../../proof/clients/any-client.mjs").Client,
 *   readonly contender: string, readonly cost: import("./session.mjs").Cost }} Line
 */

/** A table for each client, a row for each task. @param {readonly Line[]} lines @returns {string} Markdown */
export function tableOf(lines) {
  const clients = [...new Set(lines.map(({ client }) => client))];
  return clients.map((client) => clientTable(lines.filter((line) => line.client === client))).join("\n");
}

/** @param {readonly Line[]} lines */
function clientTable(lines) {
  const contenders = [...new Set(lines.map(({ contender }) => contender))];
  const tasks = [...new Set(lines.map(({ task }) => task))];
  const rows = tasks.map((task) => {
    const ofTask = lines.filter((line) => line.task === task);
    const cells = contenders.map((name) =>
      cell(
        ofTask.find(({ contender }) => contender === name),
        ofTask,
      ),
    );
    return `| ${[task, ...cells].join(" | ")} |`;
  });
  const described = contenders.map((name) => {
    const cost = lines.find(({ contender, cost }) => contender === name && cost.kind === "done")?.cost;
    return cost?.kind === "done" ? `${number(cost.descriptions)} B` : "";
  });
  const client = lines[0]?.client;
  return [
    `## In ${client?.title} ${client?.version}\n`,
    `| task | ${contenders.join(" | ")} |`,
    `|---|${contenders.map(() => "---|").join("")}`,
    ...rows,
    `| lost foreign writes, lost own writes | ${contenders.map((name) => lost(lines.filter(({ contender }) => contender === name))).join(" | ")} |`,
    `| descriptions of the tools, once | ${described.join(" | ")} |`,
    "",
  ].join("\n");
}

/** Turns, bytes to the model, bytes of the model; the fewest of each row in bold. @param {Line | undefined} line @param {readonly Line[]} row */
function cell(line, row) {
  if (line === undefined) return "";
  const { cost } = line;
  if (cost.kind === "cannot") return "cannot";
  const sound = row.flatMap((one) =>
    one.cost.kind === "done" && one.cost.flaws.length === 0 ? [one.cost] : [],
  );
  const total = ({ toModel = 0, fromModel = 0 }) => toModel + fromModel;
  const fewest = (
    /** @type {readonly number[]} */ values,
    /** @type {number} */ value,
    /** @type {string} */ text,
  ) => (cost.flaws.length === 0 && Math.min(...values) === value ? `**${text}**` : text);
  const turns = fewest(
    sound.map(({ turns }) => turns),
    cost.turns,
    `${cost.turns}`,
  );
  const bytes = fewest(sound.map(total), total(cost), `${number(cost.toModel)} + ${number(cost.fromModel)}`);
  return [`${turns}; ${bytes}`, ...cost.flaws.map((flaw) => `*not ${flaw}*`)].join("; ");
}

/** The tasks after which something stood on the disk that should not, or was missing. @param {readonly Line[]} lines */
function lost(lines) {
  const bad = lines.filter(
    ({ cost }) => cost.kind === "done" && cost.flaws.some((flaw) => flaw !== "all of it was sent"),
  );
  const foreign = bad.filter(
    ({ cost }) => cost.kind === "done" && cost.flaws.includes("the foreign write kept"),
  );
  return `${foreign.length} and ${bad.length - foreign.length}`;
}

/** @param {number} value */
function number(value) {
  return value.toLocaleString("en");
}
