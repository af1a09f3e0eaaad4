/** In place of `node:child_process`, where loading it can wait (`childProcessIsLate`). */
module.exports = {
  get spawn() {
    return require("node:child_process").spawn;
  },
};
