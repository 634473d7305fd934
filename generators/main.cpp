#include "generators/verbs/cli.h"

int main(int argc, char** argv) { return halogen::run_program(argc, argv); }
