/* The interpreter of bytecode for Numbers with several lanes: one dispatch of each instruction serves all lanes. */
#define MOBOD_LANES MOBOD_WIDTH /* of this library */
#define run_program run_program_on_lanes
#include "lanes.h"

#include "run_program.h"
