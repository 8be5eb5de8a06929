// Lets tests start the command with another Node than the one that runs the tests, which must be one that reads TypeScript.
// Loaded with --require by the stage "oldest-node".
const { SEXTANT_TEST_NODE } = process.env;
process.env.SEXTANT_NODE_OF_TESTS = process.execPath;
if (SEXTANT_TEST_NODE !== undefined) process.execPath = SEXTANT_TEST_NODE;
